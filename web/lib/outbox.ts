// The outbox: messages, new tasks and applications that wait to be sent, in the order they were written. Each has its
// own id, so an entry whose answer was lost is sent again and stored once. Payments never wait. Entries survive
// reloads and restarts of the app, and belong to one account (ADR 50).
import { useSyncExternalStore } from 'react'
import type { Cents } from '../../shared/money.ts'
import { errorText } from './errorText.ts'

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
type Kind = keyof Contents
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

type Running = {
  userId: string
  senders: Senders
  storage: OutboxStorage
  isOnline: () => boolean
  onSent: (entry: Entry) => void
}

/** Pauses between tries while the server is out of reach; the last one repeats. The browser's `online` ends them. */
const PAUSES_MS = [2_000, 5_000, 15_000, 30_000]

const listeners = new Set<() => void>()
let running: Running | null = null
let entries: Entry[] = []
/** The entries as shown; the same array until something changes. */
let shown: Waiting[] = []
/** The server is out of reach. */
let stalled = false
/** The person whose entries are being sent; `wanted` if another run was requested meanwhile. */
let sendingFor: Running | null = null
let wanted = false
let failures = 0
let again: ReturnType<typeof setTimeout> | undefined
/** Entries that are not stored yet; nobody announces them. */
const keeping = new Set<string>()
/** Entries that wait for the start to store them. */
let earlyKept: (() => void)[] = []
let photoShare: { id: string; share: number } | null = null
/** Counts changes here, so that what is read meanwhile is known to be old. */
let changes = 0

/** Sends what this person has left, and from now on whatever they write; returns the end of it. */
export function startOutbox(started: Running): () => void {
  running = started
  // Written while the page was still beginning.
  const early = entries.filter((entry) => authorOf(entry) === started.userId)
  entries = []
  const kept = early.length > 0 ? change((all) => [...all, ...early]) : Promise.resolve()
  const announcing = earlyKept
  earlyKept = []
  void kept.then(() => {
    for (const announce of announcing) announce()
  })
  const stopListening = started.storage.onChange(() => void readAgain(started))
  void readAgain(started).then(() => sendNow())
  return () => {
    stopListening()
    clearTimeout(again)
    running = null
    entries = []
    photoShare = null
    stalled = false
    show()
  }
}

function authorOf({ content }: Entry): string {
  if ('giverId' in content) return content.giverId
  return 'taskerId' in content ? content.taskerId : content.senderId
}

/** All that waits, in the order it was written. */
export function useOutbox(): Waiting[] {
  return useSyncExternalStore(subscribe, outbox, () => shown)
}

/** The same, at this moment. */
export const outbox = () => shown

/** The queued items of one kind. */
export function useWaiting<K extends Kind>(kind: K): Waiting<K>[] {
  return useOutbox().filter((entry) => entry.kind === kind) as Waiting<K>[]
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/**
 * Sends it as soon as it can be; in place of an item with the same id. Resolves once it is kept and outlasts a reload
 * (or the browser keeps nothing): only then may a person hear that it waits.
 */
export async function addToOutbox(entry: Entry): Promise<void> {
  keeping.add(entry.id)
  const kept = change((all) =>
    all.some(({ id }) => id === entry.id)
      ? all.map((one) => (one.id === entry.id ? entry : one))
      : [...all, entry],
  )
  void send()
  await kept
  keeping.delete(entry.id)
  show()
}

/** Tries all at once; with an id, that one although it was refused. */
export function sendNow(id?: string): void {
  if (id !== undefined) changeOne(id, ({ refusal, ...entry }) => entry)
  failures = 0
  void send()
}

export function removeFromOutbox(id: string): void {
  change((all) => all.filter((entry) => entry.id !== id))
}

/** One after the other, as long as the server can be reached. */
async function send(): Promise<void> {
  clearTimeout(again)
  const own = running
  wanted = sendingFor === own
  if (wanted || !own) return
  sendingFor = own
  try {
    await own.storage.alone(own.userId, async () => {
      await readAgain(own)
      while (running === own) {
        const next = entries.find(({ refusal }) => refusal === undefined)
        if (!next) return
        const outcome = await trySending(own, next)
        if (running !== own) return
        if (outcome === 'unreachable') {
          stall()
          return
        }
        failures = 0
        if (outcome === 'sent') {
          removeFromOutbox(next.id)
          own.onSent(next)
        } else {
          const refusal = errorText(outcome)
          changeOne(next.id, ({ mayHaveArrived, ...entry }) => ({ ...entry, refusal }))
        }
      }
    })
  } finally {
    if (sendingFor === own) sendingFor = null
    if (running === own && wanted) void send()
  }
}

async function trySending(own: Running, next: Entry): Promise<Outcome> {
  if (!own.isOnline()) return 'unreachable'
  stalled = false
  photoShare = next.photo ? { id: next.id, share: 0 } : null
  changeOne(next.id, (entry) => ({ ...entry, mayHaveArrived: true }))
  const progress = (share: number) => {
    photoShare = { id: next.id, share }
    show()
  }
  // The compiler does not see that an entry goes to the sender of its kind.
  const sender = own.senders[next.kind] as (outgoing: Entry, onProgress: typeof progress) => Promise<Outcome>
  return sender(next, progress)
}

function stall() {
  stalled = true
  wanted = false
  show()
  again = setTimeout(() => void send(), PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)])
  failures++
}

const changeOne = (id: string, edit: (entry: Entry) => Entry) =>
  change((all) => all.map((entry) => (entry.id === id ? edit(entry) : entry)))

/** Resolves once the change is kept. */
function change(edit: (entries: Entry[]) => Entry[]): Promise<void> {
  changes++
  entries = edit(entries)
  show()
  if (running) return running.storage.change(running.userId, edit)
  return new Promise((resolve) => earlyKept.push(resolve))
}

async function readAgain(own: Running): Promise<void> {
  for (;;) {
    const before = changes
    const kept = await own.storage.read(own.userId)
    if (running !== own || kept === null) return
    if (before !== changes) continue
    entries = kept
    return show()
  }
}

function show() {
  shown = entries
    // A message is in its conversation at once, as one that is being sent.
    .filter(({ id, kind }) => kind === 'message' || !keeping.has(id))
    .map((entry) => ({
      ...entry,
      state: (stalled && !keeping.has(entry.id)) || entry.refusal !== undefined ? 'unsent' : 'sending',
      ...(photoShare?.id === entry.id ? { photoShare: photoShare.share } : {}),
    }))
  for (const listener of listeners) listener()
}
