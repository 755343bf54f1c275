// Keeps settings and schema cache at hand and up to date: read at start, read again on `NOTIFY pgrst`.
// Reference: PostgREST 14, "Schema cache reloading" and "Configuration reloading".
import type pg from 'pg'
import type { Logger } from 'pino'
import { Client, CONNECT_TIMEOUT_MS } from '../../sql/client.ts'
import { schemaCacheMissing } from '../errors/errors.ts'
import { readCatalogue } from './read.ts'
import { type FileSettings, type RestSettings, readSettings } from './settings.ts'
import type { Catalogue } from './types.ts'

export type Snapshot = { settings: RestSettings; catalogue: Catalogue }

export type SnapshotCache = {
  /** The latest one; null until the database could be read once. */
  latest(): Snapshot | null
  /** The same, awaited while there is none; throws PGRST002 when the database cannot be read. */
  current(): Promise<Snapshot>
  /** Resolves with a newer snapshot if one is being read, else null. */
  newer(): Promise<Snapshot | null>
  /** Called with every new snapshot. */
  onChange(listener: () => void): void
  stop(): Promise<void>
}

const RETRY_MS = 1000

interface SnapshotCacheOptions {
  pool: pg.Pool
  url: string
  file: FileSettings
  log: Logger
}

/** Starts reading and listening at once; failures are logged and tried again until `stop()`. */
export function openSnapshotCache({ pool, url, file, log }: SnapshotCacheOptions): SnapshotCache {
  const listeners: (() => void)[] = []
  let latest: Snapshot | null = null
  let reading: Promise<Snapshot | null> | null = null
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function read(): Promise<Snapshot | null> {
    try {
      for (;;) {
        again = false
        const settings = await readSettings(pool, file)
        const catalogue = await readCatalogue(pool, settings.schemas, settings.extraSearchPath)
        latest = { settings, catalogue }
        for (const listener of listeners) listener()
        // A change that arrived while reading may be missing in the result.
        if (!again) return latest
      }
    } catch (error) {
      if (!stopped) {
        log.warn({ error: (error as Error).message }, 'the schema cache could not be read; trying again')
        clearTimeout(timer)
        timer = setTimeout(refresh, RETRY_MS).unref()
      }
      return null
    } finally {
      reading = null
    }
  }

  function refresh(): Promise<Snapshot | null> {
    if (reading) again = true
    else reading = read()
    return reading
  }

  const listening = listenForReload(url, log, refresh)

  return {
    latest: () => latest,
    async current() {
      const snapshot = latest ?? (await refresh())
      if (!snapshot) throw schemaCacheMissing()
      return snapshot
    },
    newer: async () => reading,
    onChange: (listener) => listeners.push(listener),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await listening.stop()
      await reading
    },
  }
}

/** Calls `onReload` on `NOTIFY pgrst`, and after each connection: notifications before it are lost. */
function listenForReload(url: string, log: Logger, onReload: () => void): { stop(): Promise<void> } {
  let current: pg.Client | null = null
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function listen(): Promise<void> {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'meadowlark-rest-listen',
    })
    const lost = () => {
      if (current !== client) return
      current = null
      if (!stopped) timer = setTimeout(listen, RETRY_MS).unref()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload }) => {
      if (!payload || payload === 'reload schema' || payload === 'reload config') onReload()
    })
    current = client
    try {
      await client.connect()
      await client.query('listen pgrst')
      onReload()
    } catch (error) {
      if (stopped) return
      log.warn({ error: (error as Error).message }, 'cannot listen for schema changes; trying again')
      lost()
    }
  }

  void listen()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      const client = current
      current = null
      await client?.end().catch(() => {})
    },
  }
}
