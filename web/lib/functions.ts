// Calls of the backend's functions, whose error messages reach the caller.
import { FunctionsHttpError } from '@supabase/supabase-js'
import { supabase } from './supabase.ts'

/** A refusal by a function, with the message of its answer. */
export class FunctionFailure extends Error {
  /** The HTTP status of the answer. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Calls a function. Throws FunctionFailure when it refused, the client's own Error when it could not be reached. */
export async function invokeFunction<Answer>(name: string, body: object = {}): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke<Answer>(name, { body })
  if (error instanceof FunctionsHttpError) {
    const response: Response = error.context
    throw new FunctionFailure(response.status, (await answeredMessage(response)) ?? error.message)
  }
  if (error) throw error
  return data as Answer
}

/** `{error: 'text'}` is ours; the hosted platform itself answers `{message: 'text'}`. */
async function answeredMessage(response: Response): Promise<string | undefined> {
  try {
    const { error, message } = await response.json()
    return [error, message].find((text) => typeof text === 'string' && text !== '')
  } catch {
    return undefined
  }
}
