// A person who signs out while something waits to be sent is asked first: it goes with the session.
import { outbox } from './outbox.ts'
import { createStore, type ReadonlyStore } from './store.ts'

type Answer = (leaves: boolean) => void

const asked = createStore<Answer | null>(null)

/** Whether to sign out; at once where nothing waits. */
export function confirmSignOut(): Promise<boolean> {
  if (outbox().length === 0) return Promise.resolve(true)
  asked.get()?.(false)
  return new Promise((resolve) => asked.set(resolve))
}

/** For the question: the sign-out that waits for its answer, and the answer. */
export const leavingQuestion = {
  asked: asked as ReadonlyStore<Answer | null>,
  answer(leaves: boolean) {
    asked.get()?.(leaves)
    asked.set(null)
  },
}
