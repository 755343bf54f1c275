// The only reader of process.env and supabase/config.toml. Everything is validated at the start; an error names
// the setting, its value unless that is a secret, and what to do.
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { checkCaptcha, withCaptchaOf } from './attack-protection.ts'
import { type CarrierAccount, carrierAccount } from './carriers.ts'
import { ConfigError } from './config-error.ts'
import { type ConnectionShares, shareConnections } from './connections.ts'
import { functionSecrets, inCapitals, valuesForConfig } from './env-files.ts'
import type { EnvironmentVariables } from './environment.ts'
import type { ConfigFile } from './file.ts'
import {
  type BackupSettings,
  backupSettings,
  type MailServer,
  mailServer,
  type ObjectStore,
  objectStore,
} from './integrations.ts'
import type { Network } from './networks.ts'
import type { PluginSettings, PluginVariables } from './plugin-settings.ts'
import { shortcomings } from './production.ts'
import type { ProviderButton } from './provider-buttons.ts'
import { checkProviders, withProvidersOf } from './providers.ts'
import { apiPort, readConfigFile } from './read-file.ts'
import { denoSettings, jwtSettings, limitSettings } from './sections.ts'
import { type Environment, substitute } from './substitute.ts'
import { withoutEffect } from './supported-settings.ts'
import { type Tracing, tracingOf } from './tracing.ts'
import { Problems, readSettings, readVariables, withoutFaults } from './validate.ts'

export { ConfigError }
/** Variables of commands, which are not settings of the server. */
export const environment = () => process.env

export interface Config
  extends Pick<ConfigFile, 'api' | 'db' | 'auth' | 'realtime' | 'storage' | 'functions'> {
  /** No demo data, and no sandbox. */
  production: boolean
  /** Absolute path of the project's `supabase` folder. */
  project: string
  /** Whether that is `home`: any other project gets neither its web app nor its payment stand-in. */
  ownProject: boolean
  /** Absolute path of the folder for everything the server keeps: cluster, keys, lock. */
  dataDir: string
  /** A PostgreSQL that exists; null for the embedded one. */
  databaseUrl: string | null
  /** The same database past a pooler, for the replication stream; null where `databaseUrl` leads there itself. */
  directUrl: string | null
  /** A standby of the same database, for reads that ask for it. */
  replicaUrl: string | null
  /** How many connections to PostgreSQL each part may have. */
  connections: ConnectionShares
  /** Milliseconds for which requests wait for a PostgreSQL that restarts. */
  reconnectTimeoutMs: number
  /** The address to listen on; null for this machine alone, in production for every address. */
  host: string | null
  /** 0 lets the system choose. */
  port: number
  /** Ports of this machine at which the Supabase CLI finds the API and the database; null for none, as in production. */
  cli: { apiPort: number; databasePort: number } | null
  /** Address under which browsers reach the API, without a slash at the end; the app's own by default. */
  publicUrl: string
  /** False when publicUrl is only a guess: then the app gets the origin it was loaded from. */
  originIsFixed: boolean
  jwt: {
    secret: string | null
    anonKey: string | null
    serviceRoleKey: string | null
    /** The project's keys, a JSON array of JWKs, in the place of the file. */
    keys?: string | null
    /** Absolute path of the file with the project's key pairs; none when left out. */
    signingKeysPath?: string | null
  }
  /** The key of the vault's secrets; null for the one of DATA_DIR. */
  vaultKey: string | null
  smtp: MailServer | null
  /** Where text messages leave through. */
  carrier: CarrierAccount | null
  /** Where the bytes of stored objects are kept; null for a folder of dataDir. */
  s3: ObjectStore | null
  /** Where the embedded PostgreSQL and files are backed up to; null for nowhere. */
  backup: BackupSettings | null
  /** Environment variables of plugins, by name. */
  pluginVariables: PluginVariables
  /** `[edge_runtime] enabled`: whether functions are served. */
  servesFunctions: boolean
  /** `[edge_runtime.secrets]` and functions/.env: variables of functions, in addition to those that all get. */
  functionSecrets: Record<string, string>
  /** How functions run under Deno: always or where they need it; its program and cache, null to be looked for. */
  deno: {
    always: boolean
    path: string | null
    searchPath: string
    cacheDir: string | null
    /** Variables that say how the network is reached: proxies, certificates, npm's registry. */
    network: Record<string, string>
  }
  /** Proxies whose X-Forwarded-For counts. */
  trustedProxies: readonly Network[]
  /** Milliseconds that running requests have to finish when the server stops. */
  shutdownTimeout: number
  /** Milliseconds for which a server that stops serves on, not ready. */
  shutdownDelay: number
  /** Requirements that production may lack, by the names in config/production.ts. */
  allow: readonly string[]
  logLevel: EnvironmentVariables['LOG_LEVEL']
  /** Whether each request that was answered is a line of the log. */
  accessLog: boolean
  /** Null where spans are not exported. */
  tracing: Tracing | null
  /** Settings of config.toml that have no effect here, one line each. */
  warnings: string[]
  /** Limits on how much memory clients can make the server hold (see src/http). */
  limits: {
    connections: number
    connectionsPerAddress: number
    /** Bytes of unfinished requests in memory. */
    bodyMemory: number
    /** Maximum number of open resumable uploads for each person. */
    openUploadsPerOwner: number
    /** Milliseconds in which the head of a request has to come. */
    headTimeout: number
    /** Milliseconds in which a body has to make some progress. */
    bodyTimeout: number
    /** Milliseconds in which a reader has to take something of an answer. */
    readTimeout: number
  }
  /** Bearer token for /metrics; null allows only this machine. */
  metricsToken: string | null
  /** Custom providers that have a button in the app. */
  customProviders: ProviderButton[]
}

export interface ConfigSources {
  /** Folder that holds `supabase/`. */
  workdir: string
  production?: boolean
  /** The environment; that of the process by default. */
  env?: Environment
  /** Absolute path of the `supabase` folder that the program belongs to; none for a server that runs any. */
  home?: string
  /** Further settings that plugins read. */
  plugins?: readonly PluginSettings[]
}

/** Reads and validates the configuration. Throws ConfigError with every problem found. */
export function loadConfig({
  workdir,
  production: wanted = false,
  env = process.env,
  home,
  plugins = [],
}: ConfigSources): Config {
  const project = resolve(workdir, 'supabase')
  if (!existsSync(project)) {
    throw new ConfigError([
      `--workdir: ${resolve(workdir)} has no supabase folder; name the folder that holds one`,
    ])
  }
  const problems = new Problems()
  const sources = readSources({ workdir, project, env, plugins }, problems)
  const { variables, file } = sources
  const production = wanted || variables.NODE_ENV === 'production'
  const checked = checkTogether(sources, { project, home, production, plugins }, problems)
  const lacking = production ? lackingInProduction(sources, checked, problems) : checked.ofPlugins
  const refused = lacking.filter(({ waiver }) => !variables.ALLOW.includes(waiver))
  problems.lines.push(...refused.map(({ waiver, line }) => `${line} (ALLOW=${waiver} starts without)`))
  if (problems.lines.length > 0 || !file) throw new ConfigError(problems.lines)
  return assemble({ ...sources, file }, checked, { workdir, project, production, plugins, lacking })
}

/** Settings from the environment and config.toml. `file` is null if config.toml has problems. */
type Sources = {
  /** The variables that are set, as they are. */
  set: Environment
  variables: ReturnType<typeof readVariables>
  /** Where config.toml is, as messages name it. */
  shown: string
  /** The content of config.toml, with `env(NAME)` replaced. */
  given: unknown
  file: ConfigFile | null
  /** The tables of config.toml that have no problem, where some have. */
  readable: ConfigFile | null
  port: number
  origin: string
}

function readSources(
  {
    workdir,
    project,
    env,
    plugins,
  }: Required<Pick<ConfigSources, 'workdir' | 'env' | 'plugins'>> & { project: string },
  problems: Problems,
): Sources {
  // An empty variable, as env files produce, counts as one that is not set.
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const variables = readVariables(set, problems, plugins)
  const shown = relative(process.cwd(), join(project, 'config.toml'))
  const tree = problems.attempt(() => readConfigFile(join(project, 'config.toml'), shown))
  // Apps written for the CLI call its port, which its config.toml names.
  const port = variables.PORT ?? (tree && apiPort(tree)) ?? 3000
  const origin = variables.SITE_URL ?? `http://localhost:${port}`
  const given = substitute(withCaptchaOf(set, withProvidersOf(set, tree)), {
    ...valuesForConfig(workdir, variables.SUPABASE_ENV),
    ...set,
    SITE_URL: origin,
    WEBAUTHN_RP_ID: set.WEBAUTHN_RP_ID ?? new URL(origin).hostname,
    PORT: String(port),
  })
  const file = tree && problems.attempt(() => readSettings(given, { file: shown, tree }))
  // A fault hides only faults in the same table, which may follow from it.
  const readable = file ?? (tree && withoutFaults(given))
  return { set, variables, shown, given, file, readable, port, origin }
}

type Checked = ReturnType<typeof checkTogether>

/** Checks settings that only make sense together, and the plugins' own. */
function checkTogether(
  { variables, file, readable }: Sources,
  {
    project,
    home,
    production,
    plugins,
  }: { project: string } & Required<Pick<ConfigSources, 'production' | 'plugins'>> &
    Pick<ConfigSources, 'home'>,
  problems: Problems,
) {
  const check = <T>(table: string, read: (settings: ConfigFile) => T): T | null =>
    readable && (file || !problems.mention(`[${table}`)) ? problems.attempt(() => read(readable)) : null
  const smtp = check('auth.email.smtp', (settings) => mailServer(settings, variables))
  const carrier = check('auth.sms', ({ auth }) => carrierAccount(auth.sms))
  check('auth.external', ({ auth }) => checkProviders(auth.external))
  const ownProject = project === home
  if (ownProject) check('auth.captcha', ({ auth }) => checkCaptcha(auth.captcha))
  const s3 = problems.attempt(() => objectStore(variables))
  const backup = problems.attempt(() => backupSettings(variables))
  const secrets = { ...inCapitals(file?.edge_runtime.secrets ?? {}), ...functionSecrets(project) }
  const ofPlugins = plugins.flatMap(
    (plugin) =>
      problems.attempt(() =>
        plugin.check?.(variables, { production, ownProject, functionSecrets: secrets }),
      ) ?? [],
  )
  return { smtp, carrier, ownProject, s3, backup, secrets, ofPlugins }
}

/** Missing requirements of production. A setting with a problem counts as present. */
function lackingInProduction(
  { variables, readable }: Sources,
  { smtp, carrier, ofPlugins }: Checked,
  problems: Problems,
) {
  return shortcomings({
    variables,
    file: readable,
    mail:
      Boolean(smtp) ||
      ['SMTP_', '[auth.email.smtp]', '[auth.hook.send_email]'].some((name) => problems.mention(name)) ||
      readable?.auth.hook.send_email.enabled === true,
    sms:
      Boolean(carrier) ||
      ['[auth.sms', '[auth.hook.send_sms]'].some((name) => problems.mention(name)) ||
      readable?.auth.hook.send_sms.enabled === true,
    ofPlugins,
  })
}

function assemble(
  { set, variables, shown, given, file, port, origin }: Sources & { file: ConfigFile },
  { smtp, carrier, ownProject, s3, backup, secrets }: Checked,
  {
    workdir,
    project,
    production,
    plugins,
    lacking,
  }: {
    workdir: string
    project: string
    production: boolean
    plugins: readonly PluginSettings[]
    lacking: Checked['ofPlugins']
  },
): Config {
  const { api, db, realtime, storage, functions } = file
  return Object.freeze({
    api,
    db,
    realtime,
    storage,
    functions,
    auth: { ...file.auth, site_url: withoutSlash(variables.SITE_URL ?? file.auth.site_url) },
    production,
    project,
    ownProject,
    port,
    // In the project's folder by default, so two projects never share a database by accident.
    dataDir: variables.DATA_DIR ? resolve(variables.DATA_DIR) : resolve(workdir, '.data'),
    databaseUrl: variables.DATABASE_URL ?? null,
    directUrl: variables.DATABASE_DIRECT_URL ?? null,
    replicaUrl: variables.DATABASE_REPLICA_URL ?? null,
    connections: shareConnections(variables.DATABASE_MAX_CONNECTIONS),
    reconnectTimeoutMs: variables.DATABASE_RECONNECT_TIMEOUT * 1000,
    host: variables.HOST ?? null,
    cli: production || variables.CLI_PORTS === 'false' ? null : { apiPort: api.port, databasePort: db.port },
    publicUrl: withoutSlash(variables.SUPABASE_PUBLIC_URL ?? origin),
    originIsFixed: Boolean(variables.SUPABASE_PUBLIC_URL ?? variables.SITE_URL),
    jwt: jwtSettings(variables, file, project),
    vaultKey: variables.VAULT_KEY ?? null,
    smtp,
    carrier,
    s3,
    backup,
    pluginVariables: Object.fromEntries(
      plugins.flatMap((plugin) => Object.keys(plugin.variables).map((name) => [name, variables[name]])),
    ),
    servesFunctions: file.edge_runtime.enabled,
    functionSecrets: secrets,
    deno: denoSettings(variables, set),
    trustedProxies: variables.TRUSTED_PROXIES,
    shutdownDelay: variables.SHUTDOWN_DELAY * 1000,
    shutdownTimeout: (variables.SHUTDOWN_TIMEOUT ?? 30) * 1000,
    logLevel: variables.LOG_LEVEL,
    accessLog: variables.ACCESS_LOG === 'true',
    tracing: tracingOf(variables),
    limits: limitSettings(variables),
    allow: variables.ALLOW,
    warnings: [
      ...withoutEffect(shown, given),
      ...(lacking.length > 0
        ? [`ALLOW lets production start without ${lacking.map(({ waiver }) => waiver).join(', ')}`]
        : []),
    ],
    metricsToken: variables.METRICS_TOKEN ?? null,
    customProviders: variables.CUSTOM_PROVIDERS,
  })
}

/** The slashes of "example://" stay. */
function withoutSlash(url: string): string {
  return url.replace(/(?<![:/])\/+$/, '')
}
