// Makes the services and says where each is mounted; the only place that knows all of them.
import { Hono } from 'hono'
import { sandboxStripeEnvironment, sandboxStripeKeys } from '../sandbox/keys.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createAuth } from './auth/app.ts'
import { createFunctionHost } from './functions/app.ts'
import type { Functions } from './functions/functions.ts'
import { bridge } from './gateway.ts'
import type { PoolFigures } from './http/metrics.ts'
import type { Access, Service } from './http/route.ts'
import { createChanges } from './realtime/changes/changes.ts'
import { createRealtime, type Realtime } from './realtime/realtime.ts'
import { createRest } from './rest/app.ts'
import type { Services } from './services.ts'
import { createStorage } from './storage/storage.ts'

export interface CreatedServices {
  /** Their route tables. */
  services: Service[]
  /** The connections of the Data API; null where config.toml turns it off. */
  restPool: PoolFigures | null
  /** Takes over what asks for an upgrade; null where config.toml turns it off. Stopped with the rest, or before. */
  realtime: Realtime | null
  /** The host of functions, which takes WebSockets, too; null where config.toml turns it off. Stopped with the rest. */
  functions: Functions | null
  /** What the operator should know. */
  warnings: string[]
  stop(): Promise<void>
}

export type CreateOptions = {
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Run functions anew when their sources change. */
  reload: boolean
  /** What functions may connect to by themselves; null for nothing. */
  databaseUrl: string | null
}

export async function createServices(
  platform: Services,
  { origin, reload, databaseUrl }: CreateOptions,
): Promise<CreatedServices> {
  const { config } = platform
  const rest = config.api.enabled ? createRest(platform) : null
  const storage = config.storage.enabled ? await createStorage(platform) : null
  const realtime = config.realtime.enabled ? createRealtime(platform, createChanges(platform)) : null
  const auth = config.auth.enabled ? createAuth(platform) : null
  const extra = () => stripeEnvironment(platform, origin())
  const functions = config.servesFunctions
    ? createFunctionHost(platform, { origin, extra, reload, databaseUrl })
    : null
  const hasSandbox = config.sandbox.stripe || config.sandbox.mail || config.sandbox.sms
  const services = [
    rest?.service,
    ...(storage?.services ?? []),
    realtime?.service,
    auth?.service,
    functions?.service,
    ...(hasSandbox ? sandbox(platform, { origin, functions }) : []),
  ].filter((service) => service != null)
  const stop = async () => {
    await Promise.all([rest?.stop(), functions?.stop(), realtime?.stop(), storage?.stop()])
  }
  const warnings = await withoutWebhook(platform, functions)
  return { services, restPool: rest?.pool ?? null, realtime, functions, warnings, stop }
}

function bridged(name: string, app: Hono, paths: Record<string, Access>, mount = `/${name}/v1`): Service {
  const root = new Hono()
    .route(mount, app)
    .notFound((c) => c.json({ message: 'no Route matched with those values' }, 404))
    .onError((error) => {
      throw error
    })
  return { name, mount, routes: bridge(root, mount, paths) }
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

function sandbox(services: Services, { origin, functions }: SandboxParts): Service[] {
  const { config, database, jobs, keys, log } = services
  const stripeKeys = sandboxStripeKeys(keys.secret)
  const webhook = config.sandboxWebhook
  return createSandbox({
    parts: { stripe: config.sandbox.stripe, inbox: config.sandbox.mail || config.sandbox.sms },
    ...{ database, jobs, log },
    // Pages of the sandbox are opened by a browser.
    origin: () => (config.originIsFixed ? config.publicUrl : origin().replace('127.0.0.1', 'localhost')),
    keys: stripeKeys,
    endpoint: {
      url: async () => ((await functions?.has(webhook)) ? `${origin()}/functions/v1/${webhook}` : null),
      secret: stripeKeys.webhookSecret,
    },
  })
}
