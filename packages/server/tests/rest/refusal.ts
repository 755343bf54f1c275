// The error with which a parser rejects its input.
import { RestError } from '../../src/rest/errors/errors.ts'

/** The message and details of the error that `work` throws. */
export function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof RestError) return `${error.message}: ${error.details}`
    throw error
  }
  throw new Error('nothing was refused')
}
