// Calls of the backend's functions, whose error messages reach the caller.
import { FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import { supabase } from './supabase.ts'

/** A refusal by a function, with the message of its answer; empty where the answer had none. */
export class FunctionFailure extends Error {
  /** The HTTP status of the answer. */
  readonly status: number
  /** The part of the body that was refused, where the function says so. */
  readonly field: string | undefined

  constructor(status: number, message: string, field?: string) {
    super(message)
    this.status = status
    this.field = field
  }
}

/** Calls a function. Throws FunctionFailure when it refused, the client's own Error when it could not be reached. */
export async function invokeFunction<Answer>(name: string, body: object = {}): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke<Answer>(name, { body })
  if (error instanceof FunctionsHttpError || error instanceof FunctionsRelayError) {
    const response: Response = error.context
    // The client's own message is for programmers; errorText() has one for people.
    const { message = '', field } = await answered(response)
    throw new FunctionFailure(response.status, message, field)
  }
  if (error) throw error
  return data as Answer
}

/** `{error: 'text', field?}` is ours; the hosted platform itself answers `{message: 'text'}`. */
async function answered(response: Response): Promise<{ message?: string; field?: string }> {
  try {
    const { error, message, field } = await response.json()
    const text = [error, message].find((given) => typeof given === 'string' && given !== '')
    return { ...(text ? { message: text } : {}), ...(typeof field === 'string' ? { field } : {}) }
  } catch {
    return {}
  }
}
