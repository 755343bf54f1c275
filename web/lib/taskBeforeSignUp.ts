// The task of somebody who has no account yet. Before sign-up it is a draft of this tab. Once they sign up it is kept
// under their address for every tab of this browser, since the e-mail's link may open in another one. The account
// with that address finds it, no other does.
import { dropDraft, keepDraft, readDraft } from './drafts.ts'
import { paths } from './paths.ts'

/** Longer than anyone takes to confirm an address. */
const KEPT_FOR_MS = 7 * 24 * 60 * 60_000

type Values = { title?: string }
type WaitingTask = {
  email: string
  /** The form's address, with the tasker who is asked first. */
  path: string
  values: Values
  /** Milliseconds since 1970. */
  until: number
  /** Whether its author has been brought back to it once. */
  shown: boolean
}

/** The sign-up of this tab whose e-mail has not been opened yet. */
export type Confirmation = {
  email: string
  /** When the e-mail may be sent again, in milliseconds since 1970. */
  againAt: number
  /** The other typed fields, to prefill a correction. */
  typed?: { fullName: string; phone: string; role: 'task_giver' | 'task_doer' }
}
const CONFIRMATION = 'confirmation'
export const readConfirmation = () => readDraft<Confirmation>(CONFIRMATION) as Confirmation | null
export const keepConfirmation = (confirmation: Confirmation) => keepDraft(CONFIRMATION, confirmation)
export const dropConfirmation = () => dropDraft(CONFIRMATION)

/** The draft of a new task: a person's own, or that of whoever is not signed in. */
export const taskDraft = (userId: string | undefined) => `post-task:${userId ?? 'stranger'}`

/** The task that a visitor has written in this tab, once it has a title. */
export function strangersTask(): { title: string } | null {
  const title = readDraft<Values>(taskDraft(undefined))?.title?.trim()
  return title ? { title } : null
}

/** Keeps the stranger's task for the account that was just made. */
export function keepTaskFor(email: string, path: string): void {
  const values = readDraft<Values>(taskDraft(undefined))
  if (!values || !strangersTask()) return
  write({
    email: email.toLowerCase(),
    path: path.startsWith(paths.postTask) ? path : paths.postTask,
    values,
    until: Date.now() + KEPT_FOR_MS,
    shown: false,
  })
}

/**
 * Called when somebody is signed in: what they wrote before becomes their own draft in this tab. A task written for
 * another address does not.
 */
export function claimTask(userId: string, email: string | undefined): void {
  const own = email?.toLowerCase()
  const strangers = readDraft<Values>(taskDraft(undefined))
  const author = readConfirmation()?.email.toLowerCase()
  if (strangers) {
    if (!author || author === own) keepDraft(taskDraft(userId), strangers)
    dropDraft(taskDraft(undefined))
  } else {
    const waiting = read()
    if (waiting && waiting.email === own && !readDraft(taskDraft(userId)))
      keepDraft(taskDraft(userId), waiting.values)
  }
  dropConfirmation()
}

/** The title of the draft that a person has not posted yet in this tab; null when there is none. */
export function unpostedTask(userId: string): string | null {
  return readDraft<Values>(taskDraft(userId))?.title?.trim() || null
}

/** Where the person's waiting task is to be posted; null when there is none. */
export function waitingTaskPath(email: string | undefined): string | null {
  const waiting = read()
  return waiting && waiting.email === email?.toLowerCase() ? waiting.path : null
}

/** The same, once: whoever leaves the form then is not brought back to it. */
export function unshownTaskPath(email: string | undefined): string | null {
  const waiting = read()
  return waiting && !waiting.shown && waiting.email === email?.toLowerCase() ? waiting.path : null
}

export function markTaskShown(email: string | undefined): void {
  const waiting = read()
  if (waiting && !waiting.shown && waiting.email === email?.toLowerCase()) write({ ...waiting, shown: true })
}

/** Forgets the waiting task of this address. */
export function dropWaitingTask(email: string | undefined): void {
  if (read()?.email === email?.toLowerCase()) remove()
}

/** Calls back when another tab has posted or dropped the waiting task; returns the end of it. */
export function onWaitingTaskGone(callback: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === 'waiting-task' && newValue === null) callback()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

function read(): WaitingTask | null {
  try {
    const kept = JSON.parse(localStorage.getItem('waiting-task') ?? 'null') as WaitingTask | null
    if (!kept) return null
    if (kept.until > Date.now() && typeof kept.email === 'string') return kept
    remove()
  } catch {
    // Switched off, or not ours.
  }
  return null
}

function write(task: WaitingTask): void {
  try {
    localStorage.setItem('waiting-task', JSON.stringify(task))
  } catch {
    // Full or switched off: the tab still has the draft.
  }
}

function remove(): void {
  try {
    localStorage.removeItem('waiting-task')
  } catch {
    // Nothing was kept then.
  }
}
