// How a transaction ended whose answer was lost. Before it commits PostgreSQL says its number, and where its log then
// was; after a crash pg_xact_status says what became of that number.
// https://www.postgresql.org/docs/18/functions-info.html#FUNCTIONS-PG-SNAPSHOT
//
// The number alone does not do. A crash loses the end of the log, with the transactions in it, and their numbers are
// assigned again. So "committed" counts only if the replayed log reaches beyond this transaction, or if no crash came
// between. And no number that came means that PostgreSQL did not come to COMMIT only where nothing in between (a
// pooler, a proxy) could have swallowed what it said.
//
// A standby that was promoted goes on with the log, and with the numbers, from where it had read it to: what lies behind that
// is lost, and its numbers are given away again.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Wire } from './client.ts'
import { isLost, isRestarting } from './errors.ts'
import type { Statement } from './pipeline.ts'

/** Position and timeline of the log, and seconds since 1970, with the number of the transaction if it has one. */
const TEXT = `select x::pg_catalog.text, l::pg_catalog.text,
  pg_catalog.left(pg_catalog.pg_walfile_name(l), 8), extract(epoch from pg_catalog.clock_timestamp())::pg_catalog.text
  from pg_catalog.pg_current_xact_id_if_assigned() x, pg_catalog.pg_current_wal_insert_lsn() l`

/**
 * `passed`: the newest checkpoint, with which every recovery ends, comes behind. `quiet`: no recovery came since, because
 * that checkpoint is older than the transaction, or some process is, all of which a crash ends. `recovered`: one came, as
 * far as the role may see it. `reached`: on a standby that was promoted, and neither started nor crashed since the
 * transaction, whether it had read the log up to there; null where this is none, or cannot be known.
 */
const FIND = `select pg_catalog.pg_xact_status($1::pg_catalog.xid8) as status,
  c.checkpoint_lsn > $2::pg_catalog.pg_lsn as passed,
  c.checkpoint_time < pg_catalog.date_trunc('second', t) or exists (
    select from pg_catalog.pg_stat_activity where backend_start < t) as quiet,
  (select a.backend_start > t from pg_catalog.pg_stat_activity a where a.backend_type = 'checkpointer') as recovered,
  pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8) = $3 as same_line,
  case when exists (select from pg_catalog.pg_stat_activity where backend_start < t)
    then pg_catalog.pg_last_wal_replay_lsn() > $2::pg_catalog.pg_lsn end as reached
  from pg_catalog.pg_control_checkpoint() c, pg_catalog.to_timestamp($4::pg_catalog.float8) t`

const PAUSE_MS = 50

type Text = string | null

export class CommitMark {
  /** The results of the statements before the mark's own. */
  before: readonly unknown[] = []
  /** The result of the transaction's `work`. */
  result: unknown
  /** False for what only reads, or is rolled back: that can be run again whatever happened. */
  keeps = true
  private sent = false
  private wire: Wire | null = null
  private answer: Text[] | null = null

  /** To be sent as the last one before COMMIT. */
  readonly statement: Statement = {
    text: TEXT,
    onResult: (rows, before) => {
      this.answer = (rows[0] ?? []) as Text[]
      this.before = before.slice()
    },
  }

  /** It goes to PostgreSQL on this connection, and COMMIT with it: what broke off before was rolled back. */
  sentOn(wire: Wire | null): void {
    this.sent = true
    this.wire = wire
  }

  /** Whether it has written anything; only known once its statement is answered. */
  get written(): boolean {
    return typeof this.answer?.[0] === 'string'
  }

  /** How it ended, when its connection did with `error`. */
  async find(pool: pg.Pool, error: unknown, until: number): Promise<'committed' | 'rolled back' | 'unknown'> {
    if (!this.sent || !this.keeps) return 'rolled back'
    if (!this.answer) return this.wire && endedInOrder(error, this.wire) ? 'rolled back' : 'unknown'
    // A transaction that has written nothing can run again.
    if (!this.written) return 'rolled back'
    for (;;) {
      try {
        const { rows } = await pool.query(FIND, this.answer)
        const { status, passed, quiet, recovered, same_line: sameLine, reached } = rows[0]
        if (status === 'aborted' || (!sameLine && reached === false)) return 'rolled back'
        if (status === 'committed' && !sameLine && reached) return 'committed'
        if (status === 'committed' && sameLine && (passed || quiet)) return 'committed'
        // The log ended before it: somebody else has the number.
        if (status === 'committed') return sameLine && recovered ? 'rolled back' : 'unknown'
        // Or its process has not yet noticed that nobody listens.
        if (status === null) return 'unknown'
      } catch (failure) {
        // A number that was not given away: the log that had it is lost.
        if (failure instanceof pg.DatabaseError && failure.code === '22023') return 'rolled back'
        if (!isRestarting(failure)) return 'unknown'
      }
      if (performance.now() > until) return 'unknown'
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Whether all that PostgreSQL had sent was read before the connection ended: by its last message, by its end, or because
 * COMMIT could not even be sent. A reset may overtake what was sent on a network.
 */
function endedInOrder(error: unknown, wire: Wire): boolean {
  const { code, message } = error as Error & { code?: string }
  if (isLost(error) || code === 'EPIPE' || ENDED.test(message)) return true
  return code === 'ECONNRESET' && wire === 'unix socket'
}

const ENDED = /Connection terminated unexpectedly|not queryable/
