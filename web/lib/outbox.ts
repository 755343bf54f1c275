// The outbox: messages, new tasks and applications that wait to be sent, in the order they were written. Each has its
// own id, so an entry whose answer was lost is sent again and stored once. Payments never wait. Entries survive
// reloads and restarts of the app, and belong to one account (ADR 50).
import { createEntries, type Entry, type Kind } from './outboxEntries.ts'
import { createSending, type OutboxAccount, type Sending } from './outboxSending.ts'
import { createStore, type ReadonlyStore } from './store.ts'
import { useStore } from './useStore.ts'

/** `photoShare`: the part of its photo that has left, from 0 to 1. */
export type Waiting<Of extends Kind = Kind> = Entry<Of> & { state: 'sending' | 'unsent'; photoShare?: number }

export function createOutbox() {
  /** The entries as shown, in the order they were written. */
  const shown = createStore<Waiting[]>([])
  const entries = createEntries(show)
  let sending: Sending | null = null

  function show() {
    const { stalled = false, photo = null } = sending?.state ?? {}
    shown.set(
      entries
        .all()
        // A message is in its conversation at once, as one that is being sent.
        .filter(({ id, kind }) => kind === 'message' || entries.isKept(id))
        .map((entry) => ({
          ...entry,
          state: (stalled && entries.isKept(entry.id)) || entry.refusal !== undefined ? 'unsent' : 'sending',
          ...(photo?.id === entry.id ? { photoShare: photo.share } : {}),
        })),
    )
  }

  return {
    shown: shown as ReadonlyStore<Waiting[]>,

    /** Sends what this person has left, and from now on whatever they write; returns the end of it. */
    start(account: OutboxAccount): () => void {
      const own = createSending(account, entries, show)
      sending = own
      entries.open(account.userId, account.storage)
      const stopListening = account.storage.onChange(() => void entries.readAgain())
      void entries.readAgain().then(own.sendNow)
      return () => {
        stopListening()
        own.end()
        sending = null
        entries.close()
      }
    },

    /**
     * Sends it as soon as it can be; in place of what waits under the same id. Resolves once it is kept and outlasts a
     * reload (or the browser keeps nothing): only then may a person hear that it waits.
     */
    async add(entry: Entry): Promise<void> {
      const kept = entries.add(entry)
      sending?.send()
      await kept
    },

    /** Tries all at once; with an id, that one although it was refused. */
    sendNow(id?: string): void {
      if (id !== undefined) void entries.changeOne(id, ({ refusal, ...entry }) => entry)
      sending?.sendNow()
    },

    remove(id: string): void {
      void entries.remove(id)
    },
  }
}

const own = createOutbox()

export const { start: startOutbox, add: addToOutbox, remove: removeFromOutbox, sendNow } = own

/** All that waits at this moment. */
export const outbox = own.shown.get

/** The same, kept current. */
export function useOutbox(): Waiting[] {
  return useStore(own.shown)
}

/** The queued items of one kind. */
export function useWaiting<K extends Kind>(kind: K): Waiting<K>[] {
  return useOutbox().filter((entry) => entry.kind === kind) as Waiting<K>[]
}
