// Makes the services and says where each is mounted; the only place that knows all of them.
import { join } from 'node:path'
import type { Hono } from 'hono'
import { sandboxStripeEnvironment, sandboxStripeKeys } from '../sandbox/keys.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createAuth } from './auth/app.ts'
import { createFunctions } from './functions/functions.ts'
import { createRest } from './rest/app.ts'
import type { Services } from './services.ts'

export interface Mounts {
  /** Services behind the API key, by name: mounted at /<name>/v1. */
  guarded: Record<string, { app: Hono; open?: (path: string) => boolean }>
  /** Services that let callers in by themselves, by the path they are mounted at. */
  unguarded: Record<string, Hono>
  stop(): Promise<void>
}

/** `origin` is where this machine reaches the server, known only after listening. */
export async function createMounts(
  services: Services,
  origin: () => string,
  reload: boolean,
): Promise<Mounts> {
  const { config } = services
  const rest = config.api.enabled ? createRest(services) : null
  const guarded: Mounts['guarded'] = {}
  if (rest) guarded.rest = rest
  if (config.auth.enabled) guarded.auth = { ...createAuth(services), open: isOpenAuthPath }
  const unguarded: Mounts['unguarded'] = {}
  if (config.servesFunctions) unguarded['/functions/v1'] = functionHost(services, origin, reload)
  if (config.sandbox.stripe || config.sandbox.mail || config.sandbox.sms) {
    unguarded['/sandbox'] = sandbox(services, origin)
  }
  return { guarded, unguarded, stop: async () => rest?.stop() }
}

/** What browsers open from a letter or a redirect, and what other services read, carries no API key. */
function isOpenAuthPath(path: string): boolean {
  return /^\/auth\/v1\/(verify|callback|authorize|\.well-known\/.*)$/.test(path)
}

function functionHost(services: Services, origin: () => string, reload: boolean): Hono {
  const { config, keys, log } = services
  const { app } = createFunctions({
    directory: join(config.project, 'functions'),
    buildDir: join(config.dataDir, 'functions'),
    settings: (name) => {
      const found = config.functions[name]
      return found && { enabled: found.enabled, verifyJwt: found.verify_jwt }
    },
    environment: () => functionEnvironment(services, origin()),
    acceptsToken: async (token) => {
      if (keys.roleOf(token)) return true
      return keys.verify(token).then(
        () => true,
        () => false,
      )
    },
    reload,
    log,
  })
  return app
}

/** What every function finds in its environment, named as on Supabase. */
function functionEnvironment({ config, keys }: Services, origin: string): Record<string, string | undefined> {
  const stripe = config.stripe && {
    STRIPE_SECRET_KEY: config.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: config.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: config.stripe.webhookSecret,
  }
  return {
    ...config.functionSecrets,
    // Functions run in this process: they reach the API without leaving the machine.
    SUPABASE_URL: origin,
    SUPABASE_ANON_KEY: keys.publishable,
    SUPABASE_SERVICE_ROLE_KEY: keys.secret,
    SITE_URL: config.auth.site_url,
    ...(config.sandbox.stripe ? sandboxStripeEnvironment(sandboxStripeKeys(keys.secret), origin) : stripe),
  }
}

function sandbox(services: Services, origin: () => string): Hono {
  const { config, database, jobs, keys, log } = services
  const stripeKeys = sandboxStripeKeys(keys.secret)
  return createSandbox({
    parts: { stripe: config.sandbox.stripe, inbox: config.sandbox.mail || config.sandbox.sms },
    ...{ database, jobs, log },
    // Pages of the sandbox are opened by a browser.
    origin: () => (config.originIsFixed ? config.publicUrl : origin().replace('127.0.0.1', 'localhost')),
    keys: stripeKeys,
    endpoint: { url: () => `${origin()}/functions/v1/stripe-webhook`, secret: stripeKeys.webhookSecret },
  }).app
}
