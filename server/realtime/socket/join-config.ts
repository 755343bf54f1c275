// What a client asks for when it joins: `config` of phx_join, checked field by field.
// https://supabase.com/docs/guides/realtime/protocol
import { z } from 'zod'
import type { BindingRequest } from '../changes/contract.ts'
import { isObject } from './frames.ts'
import { Refusal } from './principal.ts'

/** realtime-js leaves out, or sends as null or as text, what was not set. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' || value === null ? false : value),
  z.boolean('must be true or false').default(false),
)
const text = z
  .string('must be a text')
  .refine((value) => !value.includes('\0'), { error: 'must not have a NUL character' })
const optionalText = text.nullish().transform((value) => value ?? undefined)
const whole = (otherwise: number) =>
  z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .nullish()
    .transform((value) => value ?? otherwise)

const binding = z.looseObject(
  {
    event: z.enum(['INSERT', 'UPDATE', 'DELETE', '*'], 'must be INSERT, UPDATE, DELETE or *').default('*'),
    schema: text.nullish().transform((value) => value ?? 'public'),
    table: optionalText,
    filter: optionalText,
    select: z
      .array(text, 'must be a list of texts')
      .nullish()
      .transform((value) => value ?? undefined),
  },
  'must be an object',
)

const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape, 'must be an object'))

const join = section({
  broadcast: section({
    ack: flag,
    self: flag,
    replication_ready: flag,
    replay: z
      .object({ since: whole(0), limit: whole(10) }, 'must be an object')
      .nullish()
      .transform((value) => value ?? null),
  }),
  presence: z.preprocess(
    (value) => value ?? {},
    z.object(
      {
        // Clients keep people in plain objects, where such a name stands for something else already.
        key: text
          .refine((value) => !(value in {}), { error: 'must not be a name that every object has' })
          .nullish()
          .transform((value) => value || null),
        // Clients from before the setting expect presence to be there.
        enabled: z.preprocess((value) => value ?? true, flag),
      },
      'must be an object',
    ),
  ),
  postgres_changes: z
    .array(binding, 'must be a list')
    .max(100, 'must have at most 100 entries')
    .nullish()
    .transform((value) => value ?? []),
  postgres_changes_options: section({ wait: flag }),
  private: flag,
})

/** What stays true of a channel as long as it is joined. */
export interface ChannelSettings {
  /** Broadcasts are acknowledged. */
  ack: boolean
  /** It hears its own broadcasts. */
  self: boolean
  isPrivate: boolean
  /** It joined as clients did before there was a config: it hears of the table that its topic names. */
  isLegacy: boolean
  /** Null asks for a key of its own. */
  presenceKey: string | null
  presenceEnabled: boolean
}

export interface JoinRequest {
  settings: ChannelSettings
  replicationReady: boolean
  replay: { since: number; limit: number } | null
  bindings: BindingRequest[]
  /** A binding that cannot be is to be refused, instead of being told of after the join. */
  strict: boolean
  /** Each binding as the client wrote it: the reply has to repeat it. */
  asked: Record<string, unknown>[]
  /** The access token, where one came along. */
  token: string | null
}

/** Reads the payload with which the topic `name` is joined. Throws Refusal naming the field and the rule. */
export function readJoin(payload: Record<string, unknown>, name: string): JoinRequest {
  const isLegacy = !('config' in payload)
  const config = isLegacy ? { postgres_changes: [named(name)] } : withoutHoles(payload.config)
  const { success, data, error } = join.safeParse(config)
  if (!success) {
    const [issue] = error.issues
    throw new Refusal(
      'InvalidJoinPayload',
      `${['config', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`,
    )
  }
  const token = payload.user_token ?? payload.access_token
  return {
    settings: {
      ack: data.broadcast.ack,
      self: data.broadcast.self,
      isPrivate: data.private,
      isLegacy,
      presenceKey: data.presence.key,
      presenceEnabled: data.presence.enabled,
    },
    replicationReady: data.broadcast.replication_ready,
    replay: data.broadcast.replay,
    bindings: data.postgres_changes.map(({ event, schema, table, filter, select }) => ({
      ...{ event, schema },
      ...(table !== undefined && { table }),
      ...(filter !== undefined && { filter }),
      ...(select !== undefined && { select }),
    })),
    strict: data.postgres_changes_options.wait,
    asked: (isObject(config) ? (config.postgres_changes ?? []) : []) as Record<string, unknown>[],
    token: typeof token === 'string' ? token : null,
  }
}

/** `schema`, `schema:table` or `schema:table:filter`, as the first clients of Realtime named their topics. */
function named(topic: string): Record<string, string> {
  const [, schema = '', table, filter] = /^([^:]*)(?::([^:]*)(?::(.*))?)?$/s.exec(topic) ?? []
  return { schema, ...(table !== undefined && { table }), ...(filter !== undefined && { filter }) }
}

/** Of bindings that are null nothing is said, as on Supabase. */
function withoutHoles(config: unknown): unknown {
  if (!isObject(config) || !Array.isArray(config.postgres_changes)) return config
  return { ...config, postgres_changes: config.postgres_changes.filter((one) => one !== null) }
}
