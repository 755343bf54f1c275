// Broadcasts by HTTP, without a socket: many at once, or one whose topic and event stand in the address.
// https://supabase.com/docs/guides/realtime/broadcast#broadcast-using-the-rest-api
import { type Context, Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Caller, callerOf } from '../gateway.ts'
import { bodyLimit } from '../http/body-limit.ts'
import { TokenError } from '../keys.ts'
import { isUnavailable } from '../sql/database.ts'
import type { Hub } from './hub.ts'
import { eventLimiter, maxPayloadBytes, type TokenBucket } from './limits.ts'
import { UserBroadcast } from './socket/frames.ts'
import { topicKey } from './topics.ts'

/** Answers with a status and `{message}`, or `{errors}` for fields. */
class ApiError extends Error {
  readonly status: 400 | 403 | 413 | 415 | 422 | 429
  readonly body: object

  constructor(status: ApiError['status'], body: object | string) {
    super(typeof body === 'string' ? body : 'refused')
    this.status = status
    this.body = typeof body === 'string' ? { message: body } : body
  }
}

interface ApiMessage {
  topic: string
  isPrivate: boolean
  message: UserBroadcast
}

const TOO_MANY = 'You have exceeded your rate limit'
const TOO_MANY_AT_ONCE = 'Too many messages to broadcast, please reduce the batch size'
const TOO_LARGE = 'Payload size exceeds tenant limit'
const BLANK = "can't be blank"
/** Bytes of a body with many messages; each message has the limit of one besides. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
const MAX_CALLERS = 10_000

const requiredText = z
  .string(BLANK)
  .min(1, BLANK)
  .refine((value) => !value.includes('\0'), { error: 'is invalid' })
const batch = z.object({
  messages: z
    .array(
      z.object(
        {
          topic: requiredText,
          event: requiredText,
          payload: z.record(z.string(), z.unknown(), BLANK),
          private: z.boolean('is invalid').nullish(),
        },
        'is invalid',
      ),
      BLANK,
    )
    .min(1, BLANK),
})

/** The routes below /realtime/v1, for callers that the gateway has authenticated. */
export function createBroadcastApi(hub: Hub): Hono {
  const limiters = new LRUCache<string, TokenBucket>({ max: MAX_CALLERS })
  const app = new Hono()
  const limit = Math.max(MAX_BODY_BYTES, maxPayloadBytes(hub.limits))
  app.use(
    bodyLimit({
      bodies: hub.bodies,
      maxSize: limit,
      refuse: (c, { reason, message, status }) => {
        const tooLarge = `The body has at most ${Math.floor(limit / 1000)} kB`
        return c.json({ message: reason === 'large' ? tooLarge : message }, status)
      },
    }),
  )

  app.post('/api/broadcast', async (c) => {
    const caller = callerOf(c)
    const parsed = batch.safeParse(await parseJson(c))
    if (!parsed.success) throw new ApiError(422, { errors: errorsByField(parsed.error) })
    const all = parsed.data.messages.map(({ topic, event, payload, private: isPrivate }) => ({
      topic,
      isPrivate: isPrivate ?? false,
      message: new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(payload))),
    }))
    if (all.some(isTooLarge)) {
      const errors = all.map((one) => (isTooLarge(one) ? { payload: [TOO_LARGE] } : {}))
      throw new ApiError(422, { errors: { messages: errors } })
    }
    await send(caller, all)
    return c.body(null, 202)
  })

  app.post('/api/broadcast/:topic/events/:event', async (c) => {
    const caller = callerOf(c)
    const { topic, event } = c.req.param()
    for (const [name, value] of Object.entries({ topic, event })) {
      if (value.includes('\0')) throw new ApiError(422, { errors: { [name]: ['is invalid'] } })
    }
    const isPrivate = c.req.query('private') === 'true'
    const one = { topic, isPrivate, message: await parseSingle(c, event) }
    if (isTooLarge(one)) throw new ApiError(422, { errors: { payload: [TOO_LARGE] } })
    await send(caller, [one])
    return c.body(null, 202)
  })

  const isTooLarge = ({ message }: ApiMessage) => message.payload.length > maxPayloadBytes(hub.limits)

  async function send(caller: Caller, all: ApiMessage[]): Promise<void> {
    const limiter = limiterOf(caller)
    if (all.length > limiter.capacity) throw new ApiError(429, TOO_MANY_AT_ONCE)
    if (!limiter.take(Date.now(), all.length)) throw new ApiError(429, TOO_MANY)
    const allowed = new Map<string, boolean>()
    for (const { topic, isPrivate } of all) {
      if (isPrivate && !allowed.has(topic)) allowed.set(topic, await mayWrite(caller, topic))
    }
    const sendable = all.filter(({ topic, isPrivate }) => !isPrivate || allowed.get(topic))
    if (sendable.length === 0) throw new ApiError(403, 'Unauthorized')
    hub.figures.received += sendable.length
    for (const { topic, isPrivate, message } of sendable) hub.publish(topicKey(topic, isPrivate), message)
  }

  async function mayWrite({ role, claims }: Caller, topic: string): Promise<boolean> {
    try {
      return await hub.authorization.mayWrite(
        { role, claims },
        { subTopic: topic, isPrivate: true, headers: '{}' },
        'broadcast',
      )
    } catch (error) {
      if (isUnavailable(error)) throw error
      hub.log.warn({ err: error, topic }, 'a policy on realtime.messages failed')
      throw new ApiError(422, 'RLS policy error')
    }
  }

  /** One for each user, and one for each role without a user. */
  function limiterOf({ role, claims }: Caller): TokenBucket {
    const name = typeof claims.sub === 'string' ? claims.sub : `role ${role}`
    let limiter = limiters.get(name)
    if (!limiter) {
      limiter = eventLimiter(hub.limits)
      limiters.set(name, limiter)
    }
    return limiter
  }

  app.get('/websocket', (c) => {
    c.header('upgrade', 'websocket')
    return c.json({ message: 'This address speaks WebSocket: the request must ask for an upgrade' }, 426)
  })
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.json(error.body, error.status)
    // What can be read as JSON may still be nested too deeply to be written again.
    if (error instanceof RangeError) return c.json({ message: 'The body must not be nested so deeply' }, 400)
    if (error instanceof TokenError) return c.json({ message: error.message }, 401)
    throw error
  })
  return app
}

async function parseSingle(c: Context, event: string): Promise<UserBroadcast> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/octet-stream') {
    return new UserBroadcast(event, 'binary', Buffer.from(await c.req.arrayBuffer()))
  }
  if (type !== 'application/json') {
    throw new ApiError(415, 'content-type must be application/json or application/octet-stream')
  }
  return new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(await parseJson(c))))
}

async function parseJson(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text())
  } catch {
    throw new ApiError(400, 'The body must be JSON')
  }
}

/** As Supabase words them: `{messages: [{topic: ["can't be blank"]}, {}]}`, or `{messages: ["can't be blank"]}`. */
function errorsByField({ issues }: z.ZodError): object {
  const list: Record<string, string[]>[] = []
  for (const { path, message } of issues) {
    const [, index, field] = path
    if (typeof index !== 'number') return { messages: [message] }
    while (list.length <= index) list.push({})
    const errors = list[index] as Record<string, string[]>
    errors[String(field ?? 'message')] = [message]
  }
  return { messages: list }
}
