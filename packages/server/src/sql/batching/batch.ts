// A batch: the queries sent up to one Sync, and their answers. It has one query, or several that only read, each in
// its own transaction. COMMIT AND CHAIN between them ends all settings of a transaction (role, claims, search path)
// and begins the next. All are read-only, the only property that the chain passes on.
// https://www.postgresql.org/docs/18/sql-commit.html
import type pg from 'pg'
import { serialize } from 'pg-protocol'
import type { ByteRows } from '../bytes.ts'
import type { CommitMark } from '../commit-mark.ts'
import { type LatencyEstimate, learn } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import type { Prepared } from '../prepared.ts'

/** Statements that succeed or fail together. Its callbacks are called once. */
export type BatchedQuery = {
  statements: readonly Statement[]
  /** Of its kind; null for such as may change something. */
  latency: LatencyEstimate | null
  /** Milliseconds that each of its statements may take; null for what the session has. 0 for as long as it wants. */
  statementTimeoutMs: number | null
  /** By which is found out how it ended; null for what changes nothing, which is sent again when its connection ends. */
  mark: CommitMark | null
  /** The rows of each statement. */
  resolve(rows: ByteRows[]): void
  reject(error: Error): void
}

const BEGIN = 'begin'
const NEXT = 'commit and chain'
const LAST = 'commit'
const ROLLBACK = 'rollback'

export class Batch {
  /** The first error that came. */
  error: pg.DatabaseError | null = null
  private readonly queries: readonly BatchedQuery[]
  private readonly framed: boolean
  /** The query whose answer is coming; those before it have theirs. */
  private at = 0
  private begun: boolean
  /** The query in progress when the answers were given up. */
  private abandoned: BatchedQuery | null = null
  private results: ByteRows[] = []
  private rows: ByteRows = []

  /** Without queries it ends the transaction that a failure left behind. */
  constructor(queries: readonly BatchedQuery[]) {
    this.queries = queries
    this.framed = queries.length > 1
    this.begun = !this.framed
  }

  /** Its messages, to be sent in this order. */
  *messages(prepared: Prepared): Iterable<Buffer> {
    // Before the statements: whatever fails, the closing happens.
    for (const name of prepared.takeDiscarded()) yield serialize.close({ type: 'S', name })
    for (const { text, values = [], onResult } of this.statements()) {
      const { name, parse } = prepared.take(text)
      if (parse) yield serialize.parse({ name, text, types: [] })
      yield serialize.bind({ portal: '', statement: name, values: values as (string | null)[] })
      yield serialize.execute()
      if (onResult) yield serialize.flush()
    }
    yield serialize.sync()
  }

  private *statements(): Iterable<Statement> {
    const { queries, framed } = this
    if (framed) yield { text: BEGIN }
    for (const [index, { statements }] of queries.entries()) {
      yield* statements
      if (framed) yield { text: index < queries.length - 1 ? NEXT : LAST }
    }
    if (queries.length === 0) yield { text: ROLLBACK }
  }

  row(columns: ByteRows[number]): void {
    this.rows.push(columns)
  }

  /** A statement is done. A query among several has its answer once its transaction is over. */
  completed(): void {
    const query = this.queries[this.at]
    if (!this.begun) this.begun = true
    else if (query && this.results.length === query.statements.length) this.answer(query)
    else {
      query?.statements[this.results.length]?.onResult?.(this.rows, this.results)
      this.results.push(this.rows)
      this.rows = []
    }
  }

  /** Keeps in mind that `ms` were needed for all, where all were run and wanted. */
  learn(ms: number): void {
    const { queries } = this
    // Repeated queries are measured at their next run.
    if (this.abandoned || (this.framed && this.error)) return
    let expected = 0
    for (const { latency } of queries) expected += latency?.ms ?? 0
    // Only the whole is known: each kind is taken to have had the part that it usually has.
    for (const { latency } of queries)
      if (latency) learn(latency, expected > 0 ? ms * (latency.ms / expected) : ms / queries.length)
  }

  /** The Sync is answered, and nothing failed. */
  ended(): void {
    const [only] = this.queries
    if (only && !this.framed && this.at === 0) this.answer(only)
  }

  /** Queries without an answer, which this batch then does not give them any more. */
  takeUnanswered(): readonly BatchedQuery[] {
    const left = this.queries.slice(this.at)
    this.abandoned = this.queries[this.at] ?? this.abandoned
    this.at = this.queries.length
    return left
  }

  /** Milliseconds that all of it may take, given what the session lets a statement take; 0 for no limit. */
  statementTimeoutMs(ofSession: number): number {
    let sum = 0
    for (const { statements, statementTimeoutMs } of this.queries) {
      const each = statementTimeoutMs ?? ofSession
      if (each === 0) return 0
      // The first one only takes on the role.
      sum += each * Math.max(statements.length - 1, 1)
    }
    return sum || ofSession
  }

  /** The query that PostgreSQL works on, whether or not its answer is still wanted. */
  get working(): BatchedQuery | undefined {
    return this.abandoned ?? this.queries[this.at]
  }

  /** Whether it is for several queries, any of which may be what takes so long. */
  get isShared(): boolean {
    return this.queries.length - this.at > 1
  }

  /** Texts of which it is unknown, after a failure, whether they were parsed. */
  *unsure(): Iterable<string> {
    yield* [BEGIN, NEXT, LAST, ROLLBACK]
    const { queries, at, results } = this
    for (const [index, { statements }] of queries.entries()) {
      if (index < at) continue
      for (const { text } of index === at ? statements.slice(results.length) : statements) yield text
    }
  }

  private answer(query: BatchedQuery): void {
    const { results } = this
    this.results = []
    this.at++
    query.resolve(results)
  }
}
