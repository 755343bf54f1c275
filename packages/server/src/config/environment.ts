// The environment variables this server reads, named as Supabase's self-hosting names them where it has a name.
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { MIN_CONNECTIONS } from './connections.ts'
import { readHosts } from './database-url.ts'
import { readNetworks } from './networks.ts'
import { readProviderButtons } from './provider-buttons.ts'
import { WAIVERS } from './waivers.ts'

const address = (example: string, protocols: RegExp) =>
  z
    .string()
    .refine((value) => isAddress(value, protocols), { error: `must be an address such as ${example}` })

function isAddress(value: string, protocols: RegExp): boolean {
  try {
    const { protocol, username, password, pathname } = new URL(value)
    // A percent sign of a password that encodes nothing.
    for (const part of [username, password, pathname]) decodeURIComponent(part)
    return protocols.test(protocol)
  } catch {
    return false
  }
}

/** Of a PostgreSQL, with several hosts where it fails over. */
const database = () =>
  z.string().transform((value, context) => {
    try {
      const url = readHosts(value)
      if (isAddress(url, /^postgres(ql)?:$/)) return url
    } catch {
      // The issue below explains it.
    }
    context.addIssue({
      code: 'custom',
      message:
        'must be an address such as postgresql://user:password@host:5432/postgres, with several hosts ("one:5432,two:5432") where it fails over; target_session_attrs is read-write or primary',
    })
    return z.NEVER
  })

/** Requirements that production may lack: some of these names, separated by commas. */
export const allowed = (waivers: readonly string[]) =>
  z
    .string()
    .default('')
    .transform((value) =>
      value
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    )
    .refine((names) => names.every((name) => waivers.includes(name)), {
      error: `must name, by commas, what production may lack: ${waivers.join(', ')}`,
    })

const whole = (min: number, max: number) =>
  z
    .string()
    .refine((value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)

const collector = address('http://localhost:4318', /^https?:$/).optional()
const overHttp = z
  .literal('http/json', {
    error: 'must be http/json, which collectors take at the port of http/protobuf (4318)',
  })
  .optional()

export const environmentVariables = z.object({
  PORT: whole(0, 65_535).optional(),
  HOST: z.string().optional(),
  DATA_DIR: z.string().optional(),
  CLI_PORTS: z.enum(['true', 'false'], { error: 'must be true or false' }).default('true'),
  DATABASE_URL: database().optional(),
  DATABASE_DIRECT_URL: database().optional(),
  DATABASE_REPLICA_URL: address(
    'postgresql://user:password@host:5432/postgres',
    /^postgres(ql)?:$/,
  ).optional(),
  DATABASE_MAX_CONNECTIONS: whole(MIN_CONNECTIONS, 1000).default(20),
  DATABASE_RECONNECT_TIMEOUT: whole(0, 10).default(10),
  SITE_URL: address('https://example.com', /^https?:$/).optional(),
  SUPABASE_PUBLIC_URL: address('https://example.com', /^https?:$/).optional(),
  JWT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  JWT_KEYS: z.string().optional(),
  VAULT_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  ANON_KEY: z.string().optional(),
  SERVICE_ROLE_KEY: z.string().optional(),
  SMTP_HOST: z.string().optional(),
  SMTP_PORT: whole(1, 65_535).optional(),
  SMTP_USER: z.string().optional(),
  SMTP_PASS: z.string().optional(),
  SMTP_ADMIN_EMAIL: z.email('must be an e-mail address').optional(),
  SMTP_SENDER_NAME: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_ENDPOINT: address('https://s3.example.com', /^https?:$/).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_S3_BUCKET: z.string().optional(),
  BACKUP_KEEP_DAYS: whole(1, 3650).default(14),
  FUNCTIONS_RUNTIME: z
    .enum(['auto', 'deno'], {
      error: 'must be auto (handlers in this process) or deno (everything under Deno)',
    })
    .default('auto'),
  DENO_PATH: z
    .string()
    .refine((value) => existsSync(value), { error: 'must be the path of the Deno program' })
    .optional(),
  DENO_DIR: z.string().optional(),
  PATH: z.string().default(''),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((value, context) => {
      const networks = readNetworks(value)
      if (networks) return networks
      context.addIssue({
        code: 'custom',
        message: 'must be the addresses or networks of proxies, such as "127.0.0.1, 10.0.0.0/8"',
      })
      return z.NEVER
    }),
  MAX_CONNECTIONS: whole(10, 1_000_000).default(10_000),
  MAX_CONNECTIONS_PER_ADDRESS: whole(1, 1_000_000).default(1000),
  // Half of three quarters of it must hold the largest body, which is Realtime's.
  MAX_BODY_MEMORY_MB: whole(48, 1_000_000).default(64),
  MAX_OPEN_UPLOADS_PER_OWNER: whole(1, 1_000_000).default(20),
  HEAD_TIMEOUT: whole(1, 600).default(20),
  BODY_TIMEOUT: whole(1, 600).default(30),
  READ_TIMEOUT: whole(1, 600).default(30),
  CUSTOM_PROVIDERS: z
    .string()
    .default('')
    .transform((value, context) => {
      const buttons = readProviderButtons(value)
      if (buttons) return buttons
      context.addIssue({
        code: 'custom',
        message:
          'must name custom providers and what their buttons call them, such as "custom:guild=The Guild, custom:works=Works"',
      })
      return z.NEVER
    }),
  ACCESS_LOG: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_PROTOCOL: overHttp,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: overHttp,
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).default('otlp'),
  OTEL_SDK_DISABLED: z.string().optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  SHUTDOWN_TIMEOUT: whole(1, 3600).optional(),
  SHUTDOWN_DELAY: whole(0, 600).default(0),
  ALLOW: allowed(WAIVERS),
  NODE_ENV: z.string().optional(),
  SUPABASE_ENV: z.string().default('development'),
})

export type EnvironmentVariables = z.output<typeof environmentVariables>
