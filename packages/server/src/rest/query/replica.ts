// Reads on a standby of the database (DATABASE_REPLICA_URL), for requests that ask for it: it has what was written a moment
// later than the primary.
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { ByteDatabase } from '../../sql/bytes.ts'
import { openRequestDatabase } from '../../sql/database.ts'
import { openConnections } from '../../sql/request-connections.ts'

/** `x-read-replica: true`, as `createClient(…, { global: { headers } })` sends it. */
const HEADER = 'x-read-replica'

export interface Replica {
  isAskedFor(incoming: IncomingMessage): boolean
  /**
   * Reads on the standby, and on `primary` where that fails for whatever reason: the standby may be away, cancel a read
   * that its replay conflicts with, or lack a table that was just made.
   */
  first<Result>(read: (on: ByteDatabase) => Promise<Result>, primary: ByteDatabase): Promise<Result>
  close(): Promise<void>
}

/** Opens no connection yet; at most `max`, as `login`. */
export function openReplica(
  url: string,
  { max, login, log }: { max: number; login: string; log: Logger },
): Replica {
  const requests = openRequestDatabase(url, { max: 1, login })
  const connections = openConnections(requests, { max, name: 'meadowlark-rest' })
  return {
    isAskedFor: ({ headers }) => headers[HEADER] === 'true',
    async first(read, primary) {
      try {
        return await read(connections)
      } catch (err) {
        log.debug({ err }, 'a read on the replica failed and is made on the primary')
        return read(primary)
      }
    },
    async close() {
      await Promise.all([connections.close(), requests.close()])
    },
  }
}
