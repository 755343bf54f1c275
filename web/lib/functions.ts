// Calls of the backend's functions, with their errors in their own words.
import { FunctionsHttpError } from '@supabase/supabase-js'
import { supabase } from './supabase.ts'

/** Calls a function; throws an Error with the message it answered, or the client's own when it could not be reached. */
export async function invokeFunction<Answer>(name: string, body: object = {}): Promise<Answer> {
  const { data, error } = await supabase.functions.invoke<Answer>(name, { body })
  if (error) throw new Error((await answeredMessage(error)) ?? error.message)
  return data as Answer
}

async function answeredMessage(error: unknown): Promise<string | undefined> {
  if (!(error instanceof FunctionsHttpError)) return undefined
  try {
    const { error: said, message } = await (error.context as Response).json()
    return [said, message, said?.message].find((text) => typeof text === 'string' && text !== '')
  } catch {
    return undefined
  }
}
