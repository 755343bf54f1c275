// Whether this server works (liveness) and whether it should be sent requests (readiness): two questions, so that a
// database that is busy or away has nobody restarted.
import { Hono } from 'hono'
import type { Database } from './sql/database.ts'

/** Milliseconds that the database has to answer. */
const PATIENCE = 2000

/** /health/live, /health/ready, and /health, which says the same as the latter. */
export function healthRoutes({ pool }: Pick<Database, 'pool'>): Hono {
  let asked: Promise<boolean> | null = null

  /** Whether the database answers in time. Asked once for all who want to know at the same time. */
  function answers(): Promise<boolean> {
    asked ??= ask().finally(() => {
      asked = null
    })
    return asked
  }

  async function ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, false)
    })
    const answered = pool.query('select 1').then(
      () => true,
      () => false,
    )
    try {
      return await Promise.race([answered, late])
    } finally {
      clearTimeout(timer)
    }
  }

  const app = new Hono()
  app.use('/health/*', async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  app.get('/health/live', (c) => c.json({ status: 'ok' }))
  for (const path of ['/health', '/health/ready']) {
    app.get(path, async (c) => {
      if (await answers()) return c.json({ status: 'ok', database: 'ok' })
      c.header('retry-after', '1')
      return c.json({ status: 'unavailable', database: 'unreachable' }, 503)
    })
  }
  return app
}
