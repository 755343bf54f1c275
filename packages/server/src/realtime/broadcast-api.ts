// Broadcasts by HTTP, without a socket: many at once, or one whose topic and event are in the address.
// https://supabase.com/docs/guides/realtime/broadcast#broadcast-using-the-rest-api
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Answer, empty, json, noRoute } from '../http/answer.ts'
import type { Caller } from '../http/authenticator.ts'
import { BodyRefused } from '../http/body-refused.ts'
import { NestingError, parseJson } from '../http/json.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Route, Service } from '../http/route.ts'
import type { TokenBucket } from '../http/token-bucket.ts'
import { isUnavailable } from '../sql/errors.ts'
import type { Hub } from './hub.ts'
import { eventLimiter, maxPayloadBytes } from './limits.ts'
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
const UPGRADE_REQUIRED = {
  message: 'This address speaks WebSocket: the request must ask for an upgrade',
}
/** Bytes of a body with many messages; each message also has the limit of a single one. */
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

/** Mounted at /realtime/v1; sockets are upgraded before any route is looked for. */
export function createBroadcastApi(hub: Hub): Service {
  const send = createSender(hub)
  const body = Math.max(MAX_BODY_BYTES, maxPayloadBytes(hub.limits))
  const routes: Route[] = [
    { method: 'POST', path: '/api/broadcast', access: 'key', body, handler: broadcastBatch },
    {
      method: 'POST',
      path: '/api/broadcast/:topic/events/:event',
      access: 'key',
      body,
      handler: broadcastOne,
    },
    {
      method: 'GET',
      path: '/websocket',
      access: 'key',
      handler: () => json(UPGRADE_REQUIRED, 426, { upgrade: 'websocket' }),
    },
    { method: '*', path: '/*', access: 'key', body, handler: noRoute },
  ]

  async function broadcastBatch(request: RequestContext): Promise<Answer> {
    const { caller } = request
    const parsed = batch.safeParse(bodyOf(request))
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
    return empty(202)
  }

  async function broadcastOne(request: RequestContext): Promise<Answer> {
    const { caller } = request
    const { topic = '', event = '' } = request.params
    for (const [name, value] of Object.entries({ topic, event })) {
      if (value.includes('\0')) throw new ApiError(422, { errors: { [name]: ['is invalid'] } })
    }
    const isPrivate = request.query.get('private') === 'true'
    const one = { topic, isPrivate, message: parseSingle(request, event) }
    if (isTooLarge(one)) throw new ApiError(422, { errors: { payload: [TOO_LARGE] } })
    await send(caller, [one])
    return empty(202)
  }

  const isTooLarge = ({ message }: ApiMessage) => message.payload.length > maxPayloadBytes(hub.limits)

  function errorAnswer(error: unknown): Answer | null {
    if (error instanceof ApiError) return json(error.body, error.status)
    if (error instanceof BodyRefused && error.reason === 'large') {
      return json({ message: `The body has at most ${Math.floor(body / 1000)} kB` }, error.status)
    }
    return null
  }

  return { name: 'realtime', routes, errorAnswer }
}

/** Publishes what limits and policies allow the caller to send. Throws ApiError when that is nothing. */
function createSender(hub: Hub): (caller: Caller, all: ApiMessage[]) => Promise<void> {
  const limiters = new LRUCache<string, TokenBucket>({ max: MAX_CALLERS })

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

  return async (caller, all) => {
    const limiter = limiterOf(caller)
    if (all.length > limiter.capacity) throw new ApiError(429, TOO_MANY_AT_ONCE)
    if (!limiter.take(performance.now(), all.length)) throw new ApiError(429, TOO_MANY)
    const allowed = new Map<string, boolean>()
    for (const { topic, isPrivate } of all) {
      if (isPrivate && !allowed.has(topic)) allowed.set(topic, await mayWrite(caller, topic))
    }
    const sendable = all.filter(({ topic, isPrivate }) => !isPrivate || allowed.get(topic))
    if (sendable.length === 0) throw new ApiError(403, 'Unauthorized')
    hub.figures.received += sendable.length
    for (const { topic, isPrivate, message } of sendable) hub.publish(topicKey(topic, isPrivate), message)
  }
}

function parseSingle(request: RequestContext, event: string): UserBroadcast {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/octet-stream')
    return new UserBroadcast(event, 'binary', Buffer.from(request.body))
  if (type !== 'application/json') {
    throw new ApiError(415, 'content-type must be application/json or application/octet-stream')
  }
  return new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(bodyOf(request))))
}

function bodyOf({ text }: RequestContext): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new ApiError(400, `The body ${error instanceof NestingError ? error.message : 'must be JSON'}`)
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
