// Parses the payload of phx_join: its `config`, validated field by field.
// https://supabase.com/docs/guides/realtime/protocol
import { z } from 'zod'
import type { BindingRequest } from '../changes/contract.ts'
import { isObject } from './frames.ts'
import { JoinError } from './join-error.ts'

/** realtime-js leaves out, or sends as null or as text, what was not set. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' || value === null ? false : value),
  z.boolean('must be true or false').default(false),
)
const text = z
  .string('must be a text')
  .refine((value) => !value.includes('\0'), { error: 'must not have a NUL character' })
const optionalText = text.nullish().transform((value) => value ?? undefined)
const wholeNumber = (defaultValue: number) =>
  z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .nullish()
    .transform((value) => value ?? defaultValue)

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
      .object({ since: wholeNumber(0), limit: wholeNumber(10) }, 'must be an object')
      .nullish()
      .transform((value) => value ?? null),
  }),
  presence: z.preprocess(
    (value) => value ?? {},
    z.object(
      {
        // Clients keep presence in plain objects, where such a name is a method.
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

/** The client's choices for the channel. */
export interface ChannelSettings {
  /** Broadcasts are acknowledged. */
  ack: boolean
  /** It receives its own broadcasts. */
  self: boolean
  isPrivate: boolean
  /** It joined without a config, as the first clients did: it receives changes of the table that its topic names. */
  isLegacy: boolean
  /** Null asks for a generated key. */
  presenceKey: string | null
  presenceEnabled: boolean
}

export interface JoinConfig {
  settings: ChannelSettings
  replicationReady: boolean
  replay: { since: number; limit: number } | null
  bindings: BindingRequest[]
  /** An invalid binding rejects the join, instead of being reported after it. */
  rejectInvalidBindings: boolean
  /** Each binding as the client wrote it: the reply repeats it. */
  rawBindings: Record<string, unknown>[]
  /** The access token, where there is one. */
  token: string | null
}

/** Parses the payload with which a topic is joined. Throws JoinError naming the field and the rule. */
export function parseJoin(payload: Record<string, unknown>, subTopic: string): JoinConfig {
  const isLegacy = !('config' in payload)
  const config = isLegacy
    ? { postgres_changes: [legacyBinding(subTopic)] }
    : withoutNullBindings(payload.config)
  const { success, data, error } = join.safeParse(config)
  if (!success) {
    const [issue] = error.issues
    throw new JoinError(
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
      event,
      schema,
      ...(table !== undefined && { table }),
      ...(filter !== undefined && { filter }),
      ...(select !== undefined && { select }),
    })),
    rejectInvalidBindings: data.postgres_changes_options.wait,
    rawBindings: (isObject(config) ? (config.postgres_changes ?? []) : []) as Record<string, unknown>[],
    token: typeof token === 'string' ? token : null,
  }
}

/** `schema`, `schema:table` or `schema:table:filter`, as the first clients of Realtime named their topics. */
function legacyBinding(subTopic: string): Record<string, string> {
  const [, schema = '', table, filter] = /^([^:]*)(?::([^:]*)(?::(.*))?)?$/s.exec(subTopic) ?? []
  return { schema, ...(table !== undefined && { table }), ...(filter !== undefined && { filter }) }
}

/** Bindings that are null are ignored, as on Supabase. */
function withoutNullBindings(config: unknown): unknown {
  if (!isObject(config) || !Array.isArray(config.postgres_changes)) return config
  return { ...config, postgres_changes: config.postgres_changes.filter((one) => one !== null) }
}
