// Data that a built page has read and shown before the app started. The app takes it over.
import type { ReactNode } from 'react'

type Answer = { key: readonly unknown[]; data: unknown }

/** Content of the page's early parts by their names, and the answers of queries that it shows. */
export type EarlyPage = { answers: Answer[]; parts: { list: ReactNode } & Record<string, ReactNode> }

function createHandOver() {
  let kept: { answers: Answer[]; readAt: number; end(): void } | undefined
  let closed = false
  return {
    /** Keeps answers for the app, and how their page is ended; false where the app has begun without them. */
    keepEarly(answers: Answer[], end: () => void): boolean {
      if (!closed) kept = { answers, readAt: Date.now(), end }
      return !closed
    },

    /** Hands each answer over, with when it was read; whatever comes later is not kept. */
    takeEarly(take: (key: readonly unknown[], data: unknown, readAt: number) => void): void {
      closed = true
      for (const { key, data } of kept?.answers ?? []) take(key, data, kept?.readAt ?? 0)
    },

    /** Ends what the page has shown, once the app shows its own. */
    endEarly(): void {
      kept?.end()
      kept = undefined
    },
  }
}

export const { keepEarly, takeEarly, endEarly } = createHandOver()
