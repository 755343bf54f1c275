// The frame of a function that takes a POST with a JSON body: preflight, method, who calls, what the body holds,
// and what is answered when something is wrong.
import type { z } from 'zod'
import { preflight, Refusal, refuse, respond } from './respond.ts'
import { type Environment, holdsSecretKey, holdsUserToken } from './supabase.ts'

export type Call<Body> = { body: Body; request: Request; env: Environment }

export type EndpointOptions<Schema extends z.ZodType> = {
  /** A signed-in person, or trusted code with the secret key (the job worker). */
  caller: 'user' | 'secret'
  body: Schema
  /** What a person reads when something fails that is not their doing. */
  failure: string
}

/** Makes a handler of `work`, whose result is answered as JSON; a Refusal it throws is answered as such. */
export function endpoint<Schema extends z.ZodType>(
  { caller, body: schema, failure }: EndpointOptions<Schema>,
  work: (call: Call<z.output<Schema>>) => Promise<object>,
): (request: Request, env: Environment) => Promise<Response> {
  return async (request, env) => {
    if (request.method === 'OPTIONS') return preflight()
    try {
      if (request.method !== 'POST') throw new Refusal(405, 'Use POST')
      const known = caller === 'user' ? holdsUserToken(request, env) : holdsSecretKey(request, env)
      if (!known) throw new Refusal(401, 'Not authenticated')
      return respond(200, await work({ body: await readBody(request, schema), request, env }))
    } catch (error) {
      if (error instanceof Refusal) return refuse(error)
      console.error(failure, error)
      return refuse(new Refusal(502, failure))
    }
  }
}

/** The body, checked. A missing body counts as an empty object. */
async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await request.text()
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The body must be JSON')
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.')
  throw new Refusal(400, field ? `${field}: ${issue?.message}` : 'The body must be a JSON object', field)
}
