// The entries of the outbox: changed in memory at once, and in the browser's storage once their account is known.
import type { Cents } from '../../shared/money.ts'

type OutgoingMessage = {
  bookingId: string
  senderId: string
  receiverId: string
  receiverName: string
  text: string
}
/** `form` is what was typed, as the form of a task has it. */
type OutgoingTask = {
  title: string
  form: object
  giverId: string
  asked: { id: string; full_name: string; avatar_url: string | null } | null
}
/** `amount` is the price that its person saw. */
type OutgoingApplication = {
  taskId: string
  title: string
  taskerId: string
  amount: Cents
  /** The limit for expenses that its person saw; an earlier version kept none. */
  expenses?: Cents | null
  message: string
}

/** By kind; `photo` goes with a message. */
type Contents = { message: OutgoingMessage; task: OutgoingTask; application: OutgoingApplication }
export type Kind = keyof Contents
export type Outgoing<Of extends Kind = Kind> = {
  [K in Of]: { kind: K; id: string; content: Contents[K]; photo?: Blob }
}[Of]

export type Entry<Of extends Kind = Kind> = Outgoing<Of> & {
  /** It was sent, and no answer came: it may be there. */
  mayHaveArrived?: boolean
  /** Why the server does not take it; it is sent again only when the person says so. */
  refusal?: string
}

/** Where entries are kept; everything resolves, also where the browser keeps nothing. */
export type OutboxStorage = {
  /** Null where nothing can be kept. */
  read(userId: string): Promise<Entry[] | null>
  change(userId: string, edit: (entries: Entry[]) => Entry[]): Promise<void>
  /** Calls back when another tab has changed them; returns the end of it. */
  onChange(callback: () => void): () => void
  /** Runs `work` while no other tab sends. */
  alone(userId: string, work: () => Promise<void>): Promise<void>
}

type Edit = (entries: Entry[]) => Entry[]

export type Entries = ReturnType<typeof createEntries>

/** Calls `onChange` after each change. */
export function createEntries(onChange: () => void) {
  let entries: Entry[] = []
  let account: { userId: string; storage: OutboxStorage } | null = null
  /** Entries that are not stored yet; nobody announces them. */
  const keeping = new Set<string>()
  /** Resolves the changes that wait for an account. */
  let early: (() => void)[] = []
  /** Counts changes here, so that what is read meanwhile is known to be old. */
  let changes = 0

  /** Resolves once the change is kept. */
  function change(edit: Edit): Promise<void> {
    changes++
    entries = edit(entries)
    onChange()
    if (account) return account.storage.change(account.userId, edit)
    return new Promise((resolve) => early.push(resolve))
  }

  return {
    all: () => entries,
    isKept: (id: string) => !keeping.has(id),

    /** In place of an entry with the same id. Resolves once it is kept. */
    async add(entry: Entry): Promise<void> {
      keeping.add(entry.id)
      await change((all) =>
        all.some(({ id }) => id === entry.id)
          ? all.map((one) => (one.id === entry.id ? entry : one))
          : [...all, entry],
      )
      keeping.delete(entry.id)
      onChange()
    },

    changeOne: (id: string, edit: (entry: Entry) => Entry) =>
      change((all) => all.map((entry) => (entry.id === id ? edit(entry) : entry))),

    remove: (id: string) => change((all) => all.filter((entry) => entry.id !== id)),

    /** Takes the account's entries out of its storage: another tab may have changed them. */
    async readAgain(): Promise<void> {
      const own = account
      while (own) {
        const before = changes
        const kept = await own.storage.read(own.userId)
        if (account !== own || kept === null) return
        if (before !== changes) continue
        entries = kept
        return onChange()
      }
    },

    /** From now on entries are kept for this account; its own that were written before are kept first. */
    open(userId: string, storage: OutboxStorage): void {
      account = { userId, storage }
      const written = entries.filter((entry) => authorOf(entry) === userId)
      entries = []
      const kept = written.length > 0 ? change((all) => [...all, ...written]) : Promise.resolve()
      const resolved = early
      early = []
      void kept.then(() => {
        for (const resolve of resolved) resolve()
      })
    },

    /** Forgets everything of the account; its storage stays as it is. */
    close(): void {
      account = null
      entries = []
      keeping.clear()
      onChange()
    },
  }
}

function authorOf({ content }: Entry): string {
  if ('giverId' in content) return content.giverId
  return 'taskerId' in content ? content.taskerId : content.senderId
}
