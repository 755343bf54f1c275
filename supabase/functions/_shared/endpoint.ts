// The frame of every function: preflight, method, caller, body, and the answer when something is
// wrong.
import type { z } from 'zod'
import { coded, type ErrorCode, errorResponse, HttpError, preflight, respond } from './respond.ts'
import { type Environment, hasSecretKey, hasUserToken } from './supabase.ts'

export type Call<Body> = { body: Body; request: Request; env: Environment }

export type EndpointOptions<Body> = {
  /**
   * Anyone with any method; else by POST a signed-in person, trusted code with the secret key (run-effects), or the
   * payment provider, which is not a browser and proves its identity by signing the body.
   */
  caller: 'anyone' | 'user' | 'secret' | 'provider'
  /** Reads the body and checks it, HttpError when it is not what the function takes. */
  body: (request: Request, env: Environment) => Promise<Body> | Body
  /**
   * The answer with `failureStatus` if something fails that the caller did not cause: the error for people, or a
   * message for operators.
   */
  failure: { code: ErrorCode } | string
  /** 502 unless given: mostly it is the provider or the database behind us that failed. */
  failureStatus?: number
}

/** Makes a handler of `work`, whose result is answered as JSON unless it is a whole answer; an HttpError it throws is answered as such. */
export function endpoint<Body>(
  { caller, body: read, failure, failureStatus = 502 }: EndpointOptions<Body>,
  work: (call: Call<Body>) => Promise<object> | object,
): (request: Request, env: Environment) => Promise<Response> {
  return async (request, env) => {
    if (request.method === 'OPTIONS' && caller !== 'provider') return preflight()
    try {
      if (request.method !== 'POST' && caller !== 'anyone') throw new HttpError(405, 'Use POST')
      if (caller === 'user' && !hasUserToken(request, env)) throw coded(401, 'account.not_authenticated')
      if (caller === 'secret' && !hasSecretKey(request, env)) throw coded(401, 'account.not_authenticated')
      const done = await work({ body: await read(request, env), request, env })
      return done instanceof Response ? done : respond(200, done)
    } catch (error) {
      if (error instanceof HttpError) return errorResponse(error)
      const answer =
        typeof failure === 'string'
          ? new HttpError(failureStatus, failure)
          : coded(failureStatus, failure.code)
      console.error(answer.message, error)
      return errorResponse(answer)
    }
  }
}

/** For functions that look at no body. */
export function noBody(): null {
  return null
}

/** A JSON body of that shape. A missing one counts as an empty object. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
): (request: Request) => Promise<z.output<Schema>> {
  return async (request) => {
    const text = await request.text()
    let value: unknown
    try {
      value = text === '' ? {} : JSON.parse(text)
    } catch {
      throw new HttpError(400, 'The body must be JSON')
    }
    const result = schema.safeParse(value)
    if (result.success) return result.data
    const [issue] = result.error.issues
    const field = issue?.path.join('.')
    throw new HttpError(400, field ? `${field}: ${issue?.message}` : 'The body must be a JSON object', {
      field,
    })
  }
}
