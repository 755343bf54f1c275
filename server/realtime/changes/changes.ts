// Row changes for whoever may see them, from logical replication of the publication supabase_realtime; and what is
// broadcast from within the database. The meeting point with the sockets is ../changes-contract.ts.
import type pg from 'pg'
import type { Pgoutput } from 'pg-logical-replication'
import type pino from 'pino'
import type { Database } from '../../sql/database.ts'
import { Bindings } from './bindings.ts'
import { BindingError, type ChangeListener, type Changes } from './contract.ts'
import { createDelivery } from './delivery.ts'
import { askedInUse, patternsInUse, patternsOf } from './filter-quota.ts'
import { createMessages } from './messages.ts'
import { readRequests } from './parse-binding.ts'
import { createStream, StreamError, WAL_LEVEL } from './stream.ts'
import { createTables } from './tables.ts'
import { createTypes } from './types.ts'
import { createValidator } from './validate-binding.ts'
import { createRowReader } from './wal.ts'

export interface ChangesDeps {
  database: Database
  /** Connections as `authenticator`, who becomes each reader's role. */
  requests: pg.Pool
  log: pino.Logger
  /** How long a client that joins waits for the stream, in milliseconds: less than it waits for its answer. */
  patience?: number
}

const PUBLICATION = 'supabase_realtime'
const MESSAGES_PUBLICATION = 'supabase_realtime_messages_publication'

const PATIENCE = 7_000
const MOST_TURNED_AWAY = 10_000

/** Attaches to the log when somebody first listens, and keeps nothing in the database beyond its own connection. */
export function createChanges({
  database,
  requests,
  log: parent,
  patience = PATIENCE,
}: ChangesDeps): Changes {
  const log = parent.child({ service: 'realtime' })
  const bindings = new Bindings()
  const [patterns, asked] = [patternsInUse(), askedInUse()]
  const tables = createTables(database.pool)
  const types = createTypes(database.pool)
  const validator = createValidator(database.pool, types, PUBLICATION)
  const delivery = createDelivery({
    ...{ bindings, tables, types, log },
    pools: { owner: database.pool, requests },
  })
  const messages = createMessages(database.pool, log)
  const readRow = createRowReader()
  /** Who came while there was no stream. */
  const turnedAway = new Set<ChangeListener>()
  const stream = createStream({
    url: database.url,
    publications: [PUBLICATION, MESSAGES_PUBLICATION],
    log,
    onMessage,
    onAttached(again) {
      tables.forgetAll()
      for (const listener of turnedAway) callBack(listener)
      turnedAway.clear()
      if (again) delivery.gap()
      void messages.catchUp()
    },
    onLost: () => messages.lost(),
  })
  warnOfWalLevel(database.pool, log)

  function callBack(listener: ChangeListener): void {
    try {
      listener.gap()
    } catch (error) {
      log.error({ err: error }, 'a listener of row changes failed')
    }
  }

  function onMessage(message: Pgoutput.Message): void {
    if (message.tag === 'relation') tables.forget(message.relationOid)
    const change = readRow(message)
    if (!change) return
    messages.hear(change)
    delivery.add(change)
  }

  /** A stream that does not come is something the client has to be told, and that it came after all. */
  async function attached(listener: ChangeListener): Promise<void> {
    stream.start()
    try {
      await stream.ready(patience)
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      if (turnedAway.size < MOST_TURNED_AWAY) turnedAway.add(listener)
      throw new BindingError(`Unable to subscribe to changes: ${error.message}`)
    }
  }

  return {
    async subscribe(reader, requested, listener) {
      const wanted = readRequests(requested)
      const taken = [patterns.take(patternsOf(wanted))]
      const release = () => {
        for (const give of taken.splice(0)) give()
      }
      try {
        const checks = Promise.all(wanted.map((one) => validator.check(one, reader.role)))
        const [counts] = await Promise.all([checks, attached(listener)])
        taken.push(asked.take(new Map(wanted.map(({ key }, index) => [key, counts[index] ?? 0]))))
      } catch (error) {
        release()
        throw error
      }
      const entry = bindings.add(wanted, reader, listener)
      return {
        ids: entry.bindings.map(({ id }) => id),
        renew: (renewed) => bindings.regroup(entry, renewed),
        close: () => {
          release()
          bindings.remove(entry)
        },
      }
    },
    onMessage(listener) {
      messages.listen(listener)
      stream.start()
    },
    async ready(within) {
      stream.start()
      await stream.ready(within)
    },
    async stop() {
      messages.stop()
      delivery.stop()
      await stream.stop()
    },
  }
}

/** Tells the operator at start what a client would otherwise be the first to learn. */
function warnOfWalLevel(pool: pg.Pool, log: pino.Logger): void {
  pool.query<{ wal_level: string }>('show wal_level').then(
    ({ rows }) => {
      if (rows[0]?.wal_level !== 'logical') log.warn(`row changes are not heard: ${WAL_LEVEL}`)
    },
    () => {},
  )
}
