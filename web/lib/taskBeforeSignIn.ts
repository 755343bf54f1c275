// The task that somebody was about to look at before they signed in or up, as addresses carry it. The address `/auth`
// has it in `next`, and so does the dashboard, where the link of the confirmation e-mail leads, often in another
// browser.
import { pathAfterSignIn, paths } from './paths.ts'

const PREFIX = paths.task.replace(':id', '')

/** The segment at the task id's position; null for a path other than a task's. */
export const taskIdOf = (path: string): string | null =>
  path.startsWith(PREFIX) ? (path.slice(PREFIX.length).split(/[/?#]/)[0] ?? '') : null

/** The path of the task that `next` of an address names; null where it names none. */
export function wantedTaskPath(search: URLSearchParams): string | null {
  const next = pathAfterSignIn(search)
  return taskIdOf(next) === null ? null : next
}

/** Where the link of the confirmation e-mail leads: the dashboard, which goes on to the wanted task. */
export const confirmedPath = (task: string | null): string =>
  task ? `${paths.dashboard}?${new URLSearchParams({ next: task })}` : paths.dashboard
