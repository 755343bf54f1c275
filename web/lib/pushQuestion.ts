// When push is asked about: right after something whose answer a person will want to hear of, never as the app opens, and
// once in a long while for each account in this browser.
import { asksForPush } from './push.ts'
import { createStore } from './store.ts'
import { useStore } from './useStore.ts'
import { z } from './zod.ts'

/** The action just taken; each has its own question. */
export type PushMoment = 'applied' | 'posted' | 'written'

export type PushQuestion = {
  userId: string
  moment: PushMoment
  /** The person who will answer; null if it may be anybody. */
  name: string | null
}

const ASKED_AGAIN_MS = 90 * 24 * 60 * 60_000

const question = createStore<PushQuestion | null>(null)

/** Asks, where this browser could push, its permission was never decided, and the account was not asked lately. */
export function askAboutPush(next: PushQuestion): void {
  if (question.get()?.userId === next.userId || !asksForPush()) return
  const asked = lastAsked()
  if ((asked[next.userId] ?? 0) > Date.now() - ASKED_AGAIN_MS) return
  try {
    localStorage.setItem('push-asked', JSON.stringify({ ...asked, [next.userId]: Date.now() }))
  } catch {
    return // it would be asked again and again
  }
  question.set(next)
}

/** When each account was asked here last, in milliseconds since 1970. */
function lastAsked(): Record<string, number> {
  try {
    return z.record(z.string(), z.number()).parse(JSON.parse(localStorage.getItem('push-asked') ?? '{}'))
  } catch {
    return {}
  }
}

/** It was answered. */
export const endPushQuestion = (): void => question.set(null)

/** The question after this action; usually null. */
export function usePushQuestion(userId: string, moment: PushMoment): PushQuestion | null {
  const asked = useStore(question)
  return asked?.userId === userId && asked.moment === moment ? asked : null
}
