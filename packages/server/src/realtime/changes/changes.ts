// Row changes for everyone who may see them, from logical replication of the publication supabase_realtime; and
// broadcasts sent from within the database. Implements contract.ts.
import type pg from 'pg'
import type { Pgoutput } from 'pg-logical-replication'
import type pino from 'pino'
import type { Database } from '../../sql/database.ts'
import { Bindings } from './bindings.ts'
import { BindingError, type ChangeListener, type Changes } from './contract.ts'
import { createDelivery } from './delivery.ts'
import { patternQuota, patternsOf, remoteConditionQuota } from './filter-quota.ts'
import { createMessages } from './messages.ts'
import { parseBindings } from './parse-binding.ts'
import { createStream, StreamError, WAL_LEVEL_TOO_LOW } from './stream.ts'
import { createTables } from './tables.ts'
import { createTypes } from './types.ts'
import { createValidator } from './validate-binding.ts'
import { createRowReader } from './wal.ts'

export interface ChangesOptions {
  database: Database
  /** Where a replication stream can be had, where that is not the database's own address. */
  streamUrl?: string | null
  /** Connections as `authenticator`, which becomes each subscriber's role. */
  requests: Pick<Database, 'pool'>
  log: pino.Logger
  /** How long a client that joins waits for the stream: less than it waits for its reply. */
  attachTimeoutMs?: number
}

const PUBLICATION = 'supabase_realtime'
const MESSAGES_PUBLICATION = 'supabase_realtime_messages_publication'

const ATTACH_TIMEOUT_MS = 7_000
const MAX_REJECTED = 10_000

/** Attaches to the log at the first subscription, and keeps nothing in the database beyond its own connection. */
export function createChanges({
  database,
  streamUrl,
  requests,
  log: parent,
  attachTimeoutMs = ATTACH_TIMEOUT_MS,
}: ChangesOptions): Changes {
  const log = parent.child({ service: 'realtime' })
  const bindings = new Bindings()
  const tables = createTables(database.pool, PUBLICATION)
  const types = createTypes(database.pool)
  const validator = createValidator(database.pool, types, PUBLICATION)
  const delivery = createDelivery({
    bindings,
    tables,
    types,
    log,
    pools: { owner: database.pool, requests: requests.pool },
  })
  const messages = createMessages(database.pool, log)
  const readRow = createRowReader()
  /** Listeners whose subscription was rejected while there was no stream. */
  const rejected = new Set<ChangeListener>()
  const stream = createStream({
    url: streamUrl ?? database.url,
    publications: [PUBLICATION, MESSAGES_PUBLICATION],
    log,
    onMessage,
    onAttached(reattached) {
      tables.invalidateAll()
      for (const listener of rejected) resync(listener, log)
      rejected.clear()
      if (reattached) delivery.resync()
      void messages.catchUp()
    },
    onLost: () => messages.onStreamLost(),
  })
  warnOfWalLevel(database.pool, log)
  publishGeneratedColumns(database.pool, log)

  function onMessage(message: Pgoutput.Message): void {
    if (message.tag === 'relation') tables.invalidate(message.relationOid)
    const change = readRow(message)
    if (!change) return
    messages.onChange(change)
    delivery.add(change)
  }

  /** Rejects where the stream does not attach; `listener` resyncs once it has. */
  async function waitForStream(listener: ChangeListener): Promise<void> {
    stream.start()
    try {
      await stream.ready(attachTimeoutMs)
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      if (rejected.size < MAX_REJECTED) rejected.add(listener)
      throw new BindingError(`Unable to subscribe to changes: ${error.message}`)
    }
  }

  return {
    subscribe: createSubscribe({ bindings, validator, waitForStream }),
    onMessage(listener, onMissed) {
      messages.subscribe(listener, onMissed)
      stream.start()
    },
    async ready(timeoutMs) {
      stream.start()
      await stream.ready(timeoutMs)
    },
    get attached() {
      return stream.attached
    },
    async stop() {
      messages.stop()
      delivery.stop()
      await stream.stop()
    },
  }
}

interface SubscribeDeps {
  bindings: Bindings
  validator: ReturnType<typeof createValidator>
  waitForStream(listener: ChangeListener): Promise<void>
}

/** Subscribes a listener once its bindings are valid and within the quotas, and the stream is attached. */
function createSubscribe({ bindings, validator, waitForStream }: SubscribeDeps): Changes['subscribe'] {
  const patterns = patternQuota()
  const remoteConditions = remoteConditionQuota()
  return async (principal, requests, listener) => {
    const parsed = parseBindings(requests)
    const reserved = [patterns.reserve(patternsOf(parsed))]
    const release = () => {
      for (const releaseOne of reserved.splice(0)) releaseOne()
    }
    try {
      const validations = Promise.all(parsed.map((one) => validator.validate(one, principal.role)))
      const [counts] = await Promise.all([validations, waitForStream(listener)])
      const weights = new Map(parsed.map(({ key }, index) => [key, counts[index] ?? 0]))
      reserved.push(remoteConditions.reserve(weights))
    } catch (error) {
      release()
      throw error
    }
    const subscriber = bindings.add(parsed, principal, listener)
    return {
      ids: subscriber.bindings.map(({ id }) => id),
      renew: (renewed) => bindings.changePrincipal(subscriber, renewed),
      close: () => {
        release()
        bindings.remove(subscriber)
      },
    }
  }
}

function resync(listener: ChangeListener, log: pino.Logger): void {
  try {
    listener.onResync()
  } catch (error) {
    log.error({ err: error }, 'a listener of row changes failed')
  }
}

/**
 * Has PostgreSQL 18 log the stored generated columns of published tables, as a superuser may. Elsewhere they are read from the
 * table (missing-values.ts). The project's event triggers would run with our rights, so they do not run.
 */
function publishGeneratedColumns(pool: pg.Pool, log: pino.Logger): void {
  const text = `do $$ begin
    if current_setting('server_version_num')::int >= 180000 and current_setting('is_superuser') = 'on' and exists (
      select from pg_publication p where p.pubname = '${PUBLICATION}' and to_jsonb(p) ->> 'pubgencols' = 'n'
    ) then
      set local event_triggers = off;
      alter publication ${PUBLICATION} set (publish_generated_columns = stored);
    end if;
  end $$`
  pool.query(text).catch((err) => log.debug({ err }, 'generated columns cannot be published'))
}

/** Tells the operator at start what a client would otherwise be the first to learn. */
function warnOfWalLevel(pool: pg.Pool, log: pino.Logger): void {
  pool.query<{ wal_level: string }>('show wal_level').then(
    ({ rows }) => {
      if (rows[0]?.wal_level !== 'logical') log.warn(`row changes are not received: ${WAL_LEVEL_TOO_LOW}`)
    },
    () => {},
  )
}
