// Errors by their code, as the database and functions answer them (docs/errors.md), and their words in the reader's language.
import type { Params, Texts } from './texts.ts'

/** An error's code and the parameters of its text. */
export type CodedError = { code: string; params: Params }

/** The answer as {code, params}; null for anything else. */
export function codedError(answer: unknown): CodedError | null {
  const { code, params } = (answer ?? {}) as { code?: unknown; params?: unknown }
  if (typeof code !== 'string') return null
  return { code, params: params && typeof params === 'object' ? { ...params } : {} }
}

/** The code in the detail of the database's error, JSON of {code, params}; null where the detail is something else. */
export function errorInDetail(detail: unknown): CodedError | null {
  if (typeof detail !== 'string' || !detail.startsWith('{')) return null
  try {
    return codedError(JSON.parse(detail))
  } catch {
    return null
  }
}

/** The words of the error; undefined where the language has none for its code. */
export function errorWords({ code, params }: CodedError, texts: Texts): string | undefined {
  return texts.has(code) ? texts.say(code, params) : undefined
}
