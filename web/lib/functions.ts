// Calls of the backend's functions, whose error messages reach the caller.
import { FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import { type CodedError, codedError } from '../../shared/errors.ts'
import { supabase } from './supabase.ts'

type Answered = { message: string; field: string | undefined; coded: CodedError | null }

/** A refusal by a function, with the message of its answer; empty where the answer had none. */
export class FunctionFailure extends Error {
  /** The HTTP status of the answer. */
  readonly status: number
  /** The part of the body that was refused, where the function says so. */
  readonly field: string | undefined
  /** By which the message is translated. */
  readonly coded: CodedError | null

  constructor(status: number, message: string, { field, coded }: Partial<Answered> = {}) {
    super(message)
    this.status = status
    this.field = field
    this.coded = coded ?? null
  }
}

/** Calls a function. Throws FunctionFailure when it refused, the client's own Error when it could not be reached. */
export async function invokeFunction<Answer>(name: string, body: object = {}): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke<Answer>(name, { body })
  if (error instanceof FunctionsHttpError || error instanceof FunctionsRelayError) {
    const response: Response = error.context
    // The client's own message is for programmers; errorText() has one for people.
    const { message, ...rest } = await answered(response)
    throw new FunctionFailure(response.status, message, rest)
  }
  if (error) throw error
  return data as Answer
}

/** `{error: 'text', code?, params?, field?}` is ours; the hosted platform itself answers `{code, message: 'text'}`. */
async function answered(response: Response): Promise<Answered> {
  const { error, message, field, ...rest } = await response.json().catch(() => ({}))
  const text = [error, message].find((given) => typeof given === 'string' && given !== '')
  return {
    message: text ?? '',
    field: typeof field === 'string' ? field : undefined,
    coded: typeof error === 'string' ? codedError(rest) : null,
  }
}
