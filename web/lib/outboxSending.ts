// Sends an account's entries one after the other, as long as the server can be reached.
import { errorText } from './errorText.ts'
import type { Entries, Entry, Kind, OutboxStorage, Outgoing } from './outboxEntries.ts'

/**
 * 'sent', also when it had arrived already; 'unreachable' when nobody knows whether it arrived; the server's error when it is
 * refused and not there.
 */
export type Outcome = 'sent' | 'unreachable' | Error
type Sender<Of extends Kind> = (
  outgoing: Outgoing<Of>,
  onProgress: (share: number) => void,
) => Promise<Outcome>
export type Senders = { [K in Kind]: Sender<K> }

/** The signed-in person, and how their entries are kept and sent. */
export type OutboxAccount = {
  userId: string
  senders: Senders
  storage: OutboxStorage
  isOnline: () => boolean
  onSent: (entry: Entry) => void
}

/** Pauses between tries while the server is out of reach; the last one repeats. The browser's `online` ends them. */
const PAUSES_MS = [2_000, 5_000, 15_000, 30_000]

export type Sending = ReturnType<typeof createSending>

/** For one account until its end, so that nothing of it reaches another account. Calls `onChange` when its state changes. */
export function createSending(account: OutboxAccount, entries: Entries, onChange: () => void) {
  /** `stalled`: the server is out of reach. */
  const state = { stalled: false, photo: null as { id: string; share: number } | null }
  let ended = false
  let sending = false
  /** Another run was requested during this one. */
  let wanted = false
  let failures = 0
  let again: ReturnType<typeof setTimeout> | undefined

  async function send(): Promise<void> {
    clearTimeout(again)
    wanted = sending
    if (sending || ended) return
    sending = true
    try {
      await account.storage.alone(account.userId, sendAll)
    } finally {
      sending = false
      if (!ended && wanted) void send()
    }
  }

  async function sendAll(): Promise<void> {
    await entries.readAgain()
    while (!ended) {
      const next = entries.all().find(({ refusal }) => refusal === undefined)
      if (!next) return
      const outcome = await trySending(next)
      if (ended) return
      if (outcome === 'unreachable') return stall()
      failures = 0
      if (outcome === 'sent') {
        void entries.remove(next.id)
        account.onSent(next)
      } else {
        const refusal = errorText(outcome)
        void entries.changeOne(next.id, ({ mayHaveArrived, ...entry }) => ({ ...entry, refusal }))
      }
    }
  }

  async function trySending(next: Entry): Promise<Outcome> {
    if (!account.isOnline()) return 'unreachable'
    state.stalled = false
    state.photo = next.photo ? { id: next.id, share: 0 } : null
    void entries.changeOne(next.id, (entry) => ({ ...entry, mayHaveArrived: true }))
    const progress = (share: number) => {
      state.photo = { id: next.id, share }
      onChange()
    }
    // The compiler does not see that an entry goes to the sender of its kind.
    return (account.senders[next.kind] as Sender<Kind>)(next, progress)
  }

  function stall() {
    state.stalled = true
    wanted = false
    onChange()
    again = setTimeout(() => void send(), PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)])
    failures++
  }

  return {
    state,
    send: () => void send(),
    /** Begins with the shortest pause again. */
    sendNow() {
      failures = 0
      void send()
    },
    end() {
      ended = true
      clearTimeout(again)
    },
  }
}
