// The extensions of this folder stand in for those of Supabase that PostgreSQL does not bring: enough for migrations
// and, where the script says so, for what they do. One that cannot do what the real one does says so when it is created.
import { packageFile } from '../src/package-root.ts'
import type { Plugin } from '../src/plugin.ts'
import { startCron } from './cron.ts'
import { sendHttp, tryAgain } from './http.ts'

export const extensionStandIns: Plugin = {
  name: 'extensions',
  extensions: packageFile('extensions'),
  mount({ database, jobs, here }) {
    jobs.register('send_http', sendHttp(database.pool, here))
    return []
  },
  start({ config, database, log }) {
    tryAgain(database.pool).catch((error) => log.warn({ err: error }, 'old requests were not tried again'))
    return startCron({ database, connections: config.connections.cron }, log)
  },
}
