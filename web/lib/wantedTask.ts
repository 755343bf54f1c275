// The task that a stranger was about to look at when they signed up. The e-mail's link opens the dashboard, often in another
// tab, and leads on to it once.
import { paths } from './paths.ts'

/** Longer than most take to confirm an address. */
const KEPT_FOR_MS = 24 * 60 * 60_000
const PREFIX = paths.task.replace(':id', '')

/** `until`: milliseconds since 1970. */
type WantedTask = { email: string; path: string; until: number }

const leadsToTask = (path: string): boolean => path.startsWith(PREFIX)

/** What stands in the place of the task's id; null for the address of anything else. */
export const taskIdOf = (path: string): string | null =>
  leadsToTask(path) ? (path.slice(PREFIX.length).split(/[/?#]/)[0] ?? '') : null

/** Keeps the address of a task for the account that was just made; any other address is none of this. */
export function keepWantedTask(email: string, path: string): void {
  if (!leadsToTask(path)) return
  const wanted: WantedTask = { email: email.toLowerCase(), path, until: Date.now() + KEPT_FOR_MS }
  try {
    localStorage.setItem('wanted-task', JSON.stringify(wanted))
  } catch {
    // Full or switched off: the tab with the form still leads there.
  }
}

/** Where the account with this address was going; null when that is not known. */
export function wantedTaskPath(email: string | undefined): string | null {
  try {
    const wanted = JSON.parse(localStorage.getItem('wanted-task') ?? 'null') as WantedTask | null
    const valid = wanted?.email === email?.toLowerCase() && wanted && wanted.until > Date.now()
    return valid && leadsToTask(wanted.path) ? wanted.path : null
  } catch {
    return null
  }
}

export function dropWantedTask(): void {
  try {
    localStorage.removeItem('wanted-task')
  } catch {
    // Nothing was kept then.
  }
}
