// Data that a built page has read and shown before the app started. The app takes it over.
import type { ReactNode } from 'react'

type Answer = { key: readonly unknown[]; data: unknown }

/** Content of the page's early parts by their names, and the answers of queries that it shows. */
export type EarlyPage = { answers: Answer[]; parts: { list: ReactNode } & Record<string, ReactNode> }

let kept: { answers: Answer[]; readAt: number; end(): void } | undefined
let closed = false

/** Keeps answers for the app, and how their page is ended; false where the app has begun without them. */
export function keepEarly(answers: Answer[], end: () => void): boolean {
  if (!closed) kept = { answers, readAt: Date.now(), end }
  return !closed
}

/** Hands each answer over, with when it was read; whatever comes later is not kept. */
export function takeEarly(take: (key: readonly unknown[], data: unknown, readAt: number) => void): void {
  closed = true
  for (const { key, data } of kept?.answers ?? []) take(key, data, kept?.readAt ?? 0)
}

/** Ends what the page has shown, once the app shows its own. */
export function endEarly(): void {
  kept?.end()
  kept = undefined
}
