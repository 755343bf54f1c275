// Functions as the server mounts them: its configuration, keys and database become what the host needs, and what each
// function finds in its environment, named as on Supabase (https://supabase.com/docs/guides/functions/secrets).
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { hostsOf } from '../config/database-url.ts'
import { functionSecrets } from '../config/env-files.ts'
import type { Services } from '../service-dependencies.ts'
import { currentUrl } from '../sql/hosts.ts'
import { createFunctions, type Functions } from './functions.ts'
import type { FunctionEnvironment } from './loader.ts'

export type FunctionsOptions = {
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Variables that the project's functions get on top (the sandbox's payment keys). */
  extra: () => FunctionEnvironment
  reload: boolean
  /** The database URL that functions receive; null for none. */
  databaseUrl: string | null
}

/** Makes the service. */
export function createFunctionHost(
  services: Services,
  { origin, extra, reload, databaseUrl }: FunctionsOptions,
): Functions {
  const { config, keys, bodies, log, database, here } = services
  const execution = randomUUID()
  // While developing, functions/.env counts as it is now, as the functions themselves do.
  const secrets = () => ({ ...config.functionSecrets, ...(reload ? functionSecrets(config.project) : {}) })
  return createFunctions({
    project: config.project,
    buildDir: join(config.dataDir, 'functions'),
    settings: (name) => config.functions[name],
    environment: () => ({
      ...secrets(),
      ...platformEnvironment(services, origin(), execution),
      // Drivers know one host.
      SUPABASE_DB_URL: databaseUrl ? currentUrl(databaseUrl) : undefined,
      ...extra(),
    }),
    here,
    acceptsToken: async (token) => {
      if (keys.roleOf(token)) return true
      return keys.verify(token).then(
        () => true,
        () => false,
      )
    },
    bearerOf: (apiKey) => {
      const role = keys.roleOf(apiKey)
      return role && (role === 'service_role' ? keys.secret : keys.publishable)
    },
    reload,
    // The keys and the cluster are nothing a function may read or connect to.
    deno: { ...config.deno, closed: [config.dataDir, ...socketFolder(database.url)] },
    bodies,
    log,
  })
}

function platformEnvironment(
  { config, keys }: Services,
  origin: string,
  execution: string,
): FunctionEnvironment {
  return {
    // Functions run on this machine: they reach the API without leaving it.
    SUPABASE_URL: origin,
    SUPABASE_ANON_KEY: keys.publishable,
    SUPABASE_SERVICE_ROLE_KEY: keys.secret,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_JWKS: JSON.stringify(keys.jwks),
    // Tokens name the address that browsers use, which may not be SUPABASE_URL; Supabase's examples ask for this one.
    SB_JWT_ISSUER: `${config.publicUrl}/auth/v1`,
    SITE_URL: config.auth.site_url,
    // Set where functions are deployed, not where they are written: code tells the two apart by them.
    ...(config.production && {
      SB_REGION: 'local',
      SB_EXECUTION_ID: execution,
      DENO_DEPLOYMENT_ID: execution,
    }),
  }
}

/** The folders of unix sockets in a database's URL. */
function socketFolder(url: string): string[] {
  return hostsOf(url).flatMap(({ host }) => (host.startsWith('/') ? [host] : []))
}
