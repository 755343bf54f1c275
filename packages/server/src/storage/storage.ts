// Makes the storage service: the place for the bytes, database connections, configured buckets, background jobs, and the
// route tables of Supabase's storage service, mounted at /storage/v1 (https://supabase.github.io/storage/).
import type { Service } from '../http/route.ts'
import type { Services } from '../service-dependencies.ts'
import { openDatabase } from '../sql/database.ts'
import type { Backend, ObjectVersion, Stored } from './backend/backend.ts'
import { openBackend } from './backend/open.ts'
import { makeConfiguredBuckets } from './buckets/configured.ts'
import { createImages } from './images/images.ts'
import { startOrphanSweep } from './orphan-sweep.ts'
import { startUploadSweep } from './resumable/sweep.ts'
import { storageTables } from './routes.ts'
import type { StorageService } from './service.ts'
import { STATEMENT_TIMEOUT } from './transaction.ts'

/**
 * Makes the service, and the buckets that config.toml wants; `seeding` fills the empty ones among them, too. Throws
 * ConfigError when the place for the bytes cannot be used.
 */
export async function createStorage(
  platform: Pick<Services, 'config' | 'database' | 'keys' | 'bodies' | 'log'> &
    Partial<Pick<Services, 'backup'>>,
  { seeding = false }: { seeding?: boolean } = {},
): Promise<{ services: Service[]; stop(): Promise<void> }> {
  const { config, keys, bodies, log, backup } = platform
  const bytes = withBackup(await openBackend(config, log), backup ?? null)
  const images = config.storage.image_transformation.enabled ? createImages(bytes, config.dataDir) : undefined
  const backend: Backend = {
    ...bytes,
    async remove(places) {
      await bytes.remove(places)
      await images?.forget(places.map(({ version }) => version))
    },
  }
  // Dedicated connections: slow policies on objects do not block sign-ins.
  const database = openDatabase(platform.database.url, {
    max: config.connections.storage,
    name: 'meadowlark-storage',
    reconnectTimeoutMs: config.reconnectTimeoutMs,
    settings: { statement_timeout: STATEMENT_TIMEOUT },
    onIdleError: (err) => log.debug({ err }, 'an idle database connection of storage was lost'),
  })
  // Opens the first connection before a request needs it.
  void database.pool.query('select 1').catch(() => {})
  const service: StorageService = { config, database, keys, bodies, log, backend, images }
  await makeConfiguredBuckets(service, { seeding })
  const jobs = [startOrphanSweep(service), startUploadSweep(service)]
  return {
    services: storageTables(service),
    async stop() {
      for (const job of jobs) job.stop()
      backend.close?.()
      await database.close()
    },
  }
}

/** The same, but written files are backed up. */
function withBackup(bytes: Backend, backup: Services['backup']): Backend {
  if (!backup) return bytes
  if (bytes.list) void backup.addObjects(bytes.list())
  const added = async (object: ObjectVersion, writing: Promise<Stored>) => {
    const stored = await writing
    backup.addObject(object.version)
    return stored
  }
  return {
    ...bytes,
    put: (object, body, options) => added(object, bytes.put(object, body, options)),
    copy: (from, to) => added(to, bytes.copy(from, to)),
    parts: {
      ...bytes.parts,
      finish: (object, progress, options) => added(object, bytes.parts.finish(object, progress, options)),
    },
  }
}
