// Makes the services; the only place that knows all of them.
import { createAuth } from '../auth/app.ts'
import { createFunctionHost } from '../functions/app.ts'
import type { Functions } from '../functions/functions.ts'
import type { Service } from '../http/route.ts'
import type { PoolFigures } from '../observability/metrics/metrics.ts'
import type { Plugin } from '../plugin.ts'
import { createChanges } from '../realtime/changes/changes.ts'
import { createRealtime, type Realtime } from '../realtime/realtime.ts'
import { createRest } from '../rest/app.ts'
import type { Services } from '../service-dependencies.ts'
import { createStorage } from '../storage/storage.ts'

export interface CreatedServices {
  /** Their route tables. */
  services: Service[]
  /** The connections of the Data API; null where config.toml turns it off. */
  restPool: PoolFigures | null
  /** Takes over what asks for an upgrade; null where config.toml turns it off. Stopped with the rest, or before. */
  realtime: Realtime | null
  /** The host of functions, which takes WebSockets, too; null where config.toml turns it off. Stopped with the rest. */
  functions: Functions | null
  /** Warnings for the operator. */
  warnings: string[]
  stop(): Promise<void>
}

export type CreateOptions = {
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Run functions anew when their sources change. */
  reload: boolean
  /** The database URL that functions receive; null for none. */
  databaseUrl: string | null
  /** Whether this start seeds what is new: buckets with their files, too. */
  seeding: boolean
  plugins: readonly Plugin[]
}

export async function createServices(
  platform: Services,
  { origin, reload, databaseUrl, seeding, plugins }: CreateOptions,
): Promise<CreatedServices> {
  const { config } = platform
  const rest = config.api.enabled ? createRest(platform) : null
  const storage = config.storage.enabled ? await createStorage(platform, { seeding }) : null
  const realtime = config.realtime.enabled
    ? createRealtime(platform, createChanges({ ...platform, streamUrl: config.directUrl }))
    : null
  const auth = config.auth.enabled ? createAuth(platform) : null
  const extra = () =>
    Object.assign({}, ...plugins.map(({ environment }) => environment?.({ keys: platform.keys, origin })))
  const functions = config.servesFunctions
    ? createFunctionHost(platform, { origin, extra, reload, databaseUrl })
    : null
  const context = {
    ...platform,
    origin,
    hasFunction: async (name: string) => (await functions?.has(name)) ?? false,
  }
  const services = [
    rest?.service,
    ...(storage?.services ?? []),
    realtime?.service,
    ...(auth?.services ?? []),
    functions?.service,
    ...plugins.flatMap((plugin) => plugin.mount?.(context) ?? []),
  ].filter((service) => service != null)
  const stop = async () => {
    await Promise.all([rest?.stop(), functions?.stop(), realtime?.stop(), storage?.stop()])
    await Promise.all(plugins.map((plugin) => plugin.stop?.()))
  }
  const warnings = (await Promise.all(plugins.map((plugin) => plugin.warnings?.(context) ?? []))).flat()
  return { services, restPool: rest?.pool ?? null, realtime, functions, warnings, stop }
}
