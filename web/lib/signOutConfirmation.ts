// Whoever signs out while something waits to be sent is asked first: it goes with the session.
import { outbox } from './outbox.ts'

let asked: ((leaves: boolean) => void) | null = null
const listeners = new Set<() => void>()

function setAsked(next: typeof asked) {
  asked = next
  for (const listener of listeners) listener()
}

/** Whether to sign out; at once where nothing waits. */
export function confirmSignOut(): Promise<boolean> {
  if (outbox().length === 0) return Promise.resolve(true)
  asked?.(false)
  return new Promise((resolve) => setAsked(resolve))
}

/** For the question: whether somebody waits for its answer, and the answer. */
export const leavingQuestion = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  asked: () => asked !== null,
  answer(leaves: boolean) {
    asked?.(leaves)
    setAsked(null)
  },
}
