// Storage's HTTP surface: the paths of Supabase's storage service that storage-js calls, mounted at /storage/v1.
// Follows https://supabase.github.io/storage/ and the client's own source.
import { Hono } from 'hono'
import { BodyRefused } from '../http/bodies.ts'
import type { Services } from '../services.ts'
import { openDatabase } from '../sql/database.ts'
import type { Backend } from './backend/backend.ts'
import { openBackend } from './backend/open.ts'
import { makeConfiguredBuckets } from './buckets/configured.ts'
import { bucketRoutes } from './buckets/routes.ts'
import { readRoutes } from './download/routes.ts'
import { bodyError, outageOf, StorageError } from './errors.ts'
import { createImages } from './images/images.ts'
import { renderRoutes } from './images/routes.ts'
import { listRoutes } from './objects/list-routes.ts'
import { writeRoutes } from './objects/write-routes.ts'
import { startSweeping } from './orphan-sweep.ts'
import { resumableRoutes } from './resumable/routes.ts'
import { startSweepingUploads } from './resumable/sweep.ts'
import type { StorageService } from './service.ts'
import { signRoutes } from './signed-urls/routes.ts'
import { STATEMENT_TIMEOUT } from './transaction.ts'
import { unsupportedRoutes } from './unsupported.ts'

/**
 * Makes the service, and the buckets that config.toml wants. Throws ConfigError when the place for the bytes cannot be
 * used. Public and signed addresses carry no key, so its routes let callers in by themselves.
 */
export async function createStorage(
  services: Pick<Services, 'config' | 'database' | 'keys' | 'bodies' | 'log'>,
): Promise<{ app: Hono; open: () => boolean; stop(): Promise<void> }> {
  const { config, keys, bodies, log } = services
  const bytes = await openBackend(config)
  const images = config.storage.image_transformation.enabled ? createImages(bytes, config.dataDir) : null
  const backend: Backend = {
    ...bytes,
    async remove(places) {
      await bytes.remove(places)
      await images?.forget(places.map(({ version }) => version))
    },
  }
  // Connections of its own: slow policies on objects do not block sign-ins.
  const database = openDatabase(services.database.url, {
    max: config.connections.storage,
    name: 'meadowlark-storage',
    settings: { statement_timeout: STATEMENT_TIMEOUT },
    onIdleError: (err) => log.debug({ err }, 'an idle database connection of storage was lost'),
  })
  // One of them is kept, and had before requests need it.
  void database.pool.query('select 1').catch(() => {})
  const service: StorageService = { config, database, keys, bodies, log, backend }
  await makeConfiguredBuckets(service)
  const sweeping = [startSweeping(service), startSweepingUploads(service)]

  const app = new Hono()
  app.onError((error, c) => {
    const known = error instanceof StorageError ? error : outageOf(error)
    if (known) return c.json(known.body(), known.httpStatus as 400, known.headers())
    if (error instanceof BodyRefused) return c.json(bodyError(error).body(), error.status, error.headers)
    // The client has gone: nothing to answer and nothing to log.
    if (c.req.raw.signal.aborted) return c.body(null, 400)
    log.error({ err: error, method: c.req.method, path: c.req.path }, 'a storage request failed')
    return c.json({ statusCode: '500', error: 'Internal', message: 'Internal Server Error' }, 500)
  })
  app.get('/status', (c) => c.body(null, 200))
  for (const routes of [
    unsupportedRoutes(),
    bucketRoutes(service),
    listRoutes(service),
    signRoutes(service),
    renderRoutes(service, images),
    resumableRoutes(service),
    readRoutes(service),
    writeRoutes(service),
  ]) {
    app.route('/', routes)
  }
  app.all('*', (c) => {
    const message = `Route ${c.req.method}:${c.req.path.replace(/^\/storage\/v1/, '')} not found`
    return c.json({ statusCode: '404', error: 'Not Found', message }, 404)
  })
  return {
    app,
    open: () => true,
    async stop() {
      for (const sweep of sweeping) sweep.stop()
      backend.close?.()
      await database.close()
    },
  }
}
