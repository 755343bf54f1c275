// The entries of the outbox, and what sends and stores them.
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
  message: string
}

/** By kind; `photo` goes with a message. */
type Contents = { message: OutgoingMessage; task: OutgoingTask; application: OutgoingApplication }
export type Kind = keyof Contents
type Outgoing<Of extends Kind = Kind> = {
  [K in Of]: { kind: K; id: string; content: Contents[K]; photo?: Blob }
}[Of]

export type Entry<Of extends Kind = Kind> = Outgoing<Of> & {
  /** It was sent, and no answer came: it may be there. */
  mayHaveArrived?: boolean
  /** Why the server does not take it; it is sent again only when the person says so. */
  refusal?: string
}

/** `photoShare`: the part of its photo that has left, from 0 to 1. */
export type Waiting<Of extends Kind = Kind> = Entry<Of> & { state: 'sending' | 'unsent'; photoShare?: number }

/**
 * 'sent', also when it had arrived already; 'unreachable' when nobody knows whether it arrived; the server's error when it is
 * refused and not there.
 */
export type Outcome = 'sent' | 'unreachable' | Error
export type Senders = {
  [K in Kind]: (outgoing: Outgoing<K>, onProgress: (share: number) => void) => Promise<Outcome>
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

/** The signed-in person, and how their entries are kept and sent. */
export type OutboxAccount = {
  userId: string
  senders: Senders
  storage: OutboxStorage
  isOnline: () => boolean
  onSent: (entry: Entry) => void
}
