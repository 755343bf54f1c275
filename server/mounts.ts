// Makes the services and says where each is mounted; the only place that knows all of them.
import type { Hono } from 'hono'
import { sandboxStripeEnvironment, sandboxStripeKeys } from '../sandbox/keys.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createAuth } from './auth/app.ts'
import { createFunctionHost } from './functions/app.ts'
import type { Functions } from './functions/functions.ts'
import type { DirectService } from './http/direct.ts'
import type { PoolFigures } from './http/metrics.ts'
import { createChanges } from './realtime/changes/changes.ts'
import { createRealtime, type Realtime } from './realtime/realtime.ts'
import { createRest } from './rest/app.ts'
import type { Services } from './services.ts'
import { createStorage } from './storage/app.ts'

export interface Mounts {
  /** Services behind the API key, by name: mounted at /<name>/v1. */
  guarded: Record<string, { app: Hono; open?: (path: string) => boolean }>
  /** The Data API, answered without the router; null where config.toml turns it off. */
  rest: (DirectService & { pool: PoolFigures }) | null
  /** Services that let callers in by themselves, by the path they are mounted at. */
  unguarded: Record<string, Hono>
  /** Takes over what asks for an upgrade; null where config.toml turns it off. Stopped with the rest, or before. */
  realtime: Realtime | null
  /** The host of functions, which takes WebSockets, too; null where config.toml turns it off. Stopped with the rest. */
  functions: Functions | null
  /** What the operator should know. */
  warnings: string[]
  stop(): Promise<void>
}

export type MountOptions = {
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Run functions anew when their sources change. */
  reload: boolean
  /** What functions may connect to by themselves; null for nothing. */
  databaseUrl: string | null
}

export async function createMounts(
  services: Services,
  { origin, reload, databaseUrl }: MountOptions,
): Promise<Mounts> {
  const { config } = services
  const rest = config.api.enabled ? createRest(services) : null
  const guarded: Mounts['guarded'] = {}
  const storage = config.storage.enabled ? await createStorage(services) : null
  if (storage) guarded.storage = storage
  const realtime = config.realtime.enabled ? createRealtime(services, createChanges(services)) : null
  if (realtime) guarded.realtime = realtime
  if (config.auth.enabled) guarded.auth = { ...createAuth(services), open: isOpenAuthPath }
  const unguarded: Mounts['unguarded'] = {}
  const extra = () => stripeEnvironment(services, origin())
  const functions = config.servesFunctions
    ? createFunctionHost(services, { origin, extra, reload, databaseUrl })
    : null
  if (functions) unguarded['/functions/v1'] = functions.app
  if (config.sandbox.stripe || config.sandbox.mail || config.sandbox.sms) {
    unguarded['/sandbox'] = sandbox(services, { origin, functions })
  }
  const stop = async () => {
    await Promise.all([rest?.stop(), functions?.stop(), realtime?.stop(), storage?.stop()])
  }
  const warnings = await withoutWebhook(services, functions)
  return { guarded, unguarded, rest, realtime, functions, warnings, stop }
}

/** What browsers open from a letter or a redirect, and what other services read, carries no API key. */
function isOpenAuthPath(path: string): boolean {
  return /^\/auth\/v1\/(verify|callback|authorize|\.well-known\/.*)$/.test(path)
}

/** The payment provider's keys, or those of its stand-in. */
function stripeEnvironment({ config, keys }: Services, origin: string): Record<string, string | undefined> {
  if (config.sandbox.stripe) return sandboxStripeEnvironment(sandboxStripeKeys(keys.secret), origin)
  if (!config.stripe) return {}
  return {
    STRIPE_SECRET_KEY: config.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: config.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: config.stripe.webhookSecret,
  }
}

/** Events that go nowhere are told once, at the start: a function may still be written. */
async function withoutWebhook({ config }: Services, functions: Functions | null): Promise<string[]> {
  const { sandbox, sandboxWebhook } = config
  if (!sandbox.stripe || (await functions?.has(sandboxWebhook))) return []
  return [
    `STRIPE_SANDBOX_WEBHOOK: the project has no function ${sandboxWebhook}, so nobody is told of test payments; set it to the name of the function that takes Stripe's events`,
  ]
}

type SandboxParts = { origin: () => string; functions: Functions | null }

function sandbox(services: Services, { origin, functions }: SandboxParts): Hono {
  const { config, database, jobs, bodies, keys, log } = services
  const stripeKeys = sandboxStripeKeys(keys.secret)
  const webhook = config.sandboxWebhook
  return createSandbox({
    parts: { stripe: config.sandbox.stripe, inbox: config.sandbox.mail || config.sandbox.sms },
    ...{ database, jobs, bodies, log },
    // Pages of the sandbox are opened by a browser.
    origin: () => (config.originIsFixed ? config.publicUrl : origin().replace('127.0.0.1', 'localhost')),
    keys: stripeKeys,
    endpoint: {
      url: async () => ((await functions?.has(webhook)) ? `${origin()}/functions/v1/${webhook}` : null),
      secret: stripeKeys.webhookSecret,
    },
  }).app
}
