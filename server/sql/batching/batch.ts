// What a lane sends up to a Sync, and its answers: one group, or several that only read, each in a transaction of its
// own. COMMIT AND CHAIN between them ends everything that a group set for its transaction (role, claims, search path)
// and begins the next; all of them are read-only, which is all that the chain hands on.
// https://www.postgresql.org/docs/18/sql-commit.html
import type pg from 'pg'
import { learn, type Pace } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import type { Prepared } from '../prepared.ts'
import type { Column, Outgoing } from './messages.ts'

export type LaneRow = Column[]

/** Statements that succeed or fail whole. Its callbacks are called once. */
export type Group = {
  statements: readonly Statement[]
  /** What is known of its kind; null for such as may change something. */
  pace: Pace | null
  /** Milliseconds that each of its statements may take; null for what the session has. 0 for as long as it wants. */
  statementTimeout: number | null
  /** The rows of each statement. */
  resolve(rows: LaneRow[][]): void
  reject(error: Error): void
}

const BEGIN = 'begin'
const NEXT = 'commit and chain'
const LAST = 'commit'
const ROLLBACK = 'rollback'

export class Turn {
  /** The first error that came. */
  error: pg.DatabaseError | null = null
  private readonly groups: readonly Group[]
  private readonly framed: boolean
  /** The group whose answer is coming; those before it have theirs. */
  private at = 0
  private begun: boolean
  /** What was worked on when the answers were given up. */
  private abandoned: Group | null = null
  private rows: LaneRow[][] = []
  private current: LaneRow[] = []

  /** Without groups it ends the transaction that a failure left behind. */
  constructor(groups: readonly Group[]) {
    this.groups = groups
    this.framed = groups.length > 1
    this.begun = !this.framed
  }

  write(outgoing: Outgoing, prepared: Prepared): void {
    // Before the statements: whatever fails, the closing happens.
    for (const name of prepared.takeDiscarded()) outgoing.closeStatement(name)
    const { groups, framed } = this
    if (framed) execute(BEGIN, NO_VALUES, outgoing, prepared)
    for (let index = 0; index < groups.length; index++) {
      for (const { text, values = NO_VALUES } of (groups[index] as Group).statements)
        execute(text, values, outgoing, prepared)
      if (framed) execute(index < groups.length - 1 ? NEXT : LAST, NO_VALUES, outgoing, prepared)
    }
    if (groups.length === 0) execute(ROLLBACK, NO_VALUES, outgoing, prepared)
    outgoing.sync()
  }

  row(columns: LaneRow): void {
    this.current.push(columns)
  }

  /** A statement is done. A group among several has its answer once its transaction is over. */
  completed(): void {
    const group = this.groups[this.at]
    if (!this.begun) this.begun = true
    else if (group && this.rows.length === group.statements.length) this.answer(group)
    else {
      this.rows.push(this.current)
      this.current = []
    }
  }

  /** Keeps in mind that `took` milliseconds were needed for all, where all were run and wanted. */
  learn(took: number): void {
    const { groups } = this
    // What is sent again is measured then.
    if (this.abandoned || (this.framed && this.error)) return
    let expected = 0
    for (const { pace } of groups) expected += pace?.usual ?? 0
    // Only the whole is known: each kind is taken to have had the part that it usually has.
    for (const { pace } of groups)
      if (pace) learn(pace, expected > 0 ? took * (pace.usual / expected) : took / groups.length)
  }

  /** The Sync is answered, and nothing failed. */
  ended(): void {
    const [only] = this.groups
    if (only && !this.framed && this.at === 0) this.answer(only)
  }

  /** Groups without an answer, which this turn then does not give them any more. */
  takeUnanswered(): readonly Group[] {
    const left = this.groups.slice(this.at)
    this.abandoned = this.groups[this.at] ?? this.abandoned
    this.at = this.groups.length
    return left
  }

  /** Milliseconds that all of it may take, given what the session lets a statement take; 0 for no limit. */
  mayTake(usual: number): number {
    let sum = 0
    for (const { statements, statementTimeout } of this.groups) {
      const each = statementTimeout ?? usual
      if (each === 0) return 0
      // The first one only says who asks.
      sum += each * Math.max(statements.length - 1, 1)
    }
    return sum || usual
  }

  /** What PostgreSQL works on now, whether or not its answer is still wanted here. */
  get working(): Group | undefined {
    return this.abandoned ?? this.groups[this.at]
  }

  /** Whether it is for several groups, any of which may be what takes so long. */
  get isShared(): boolean {
    return this.groups.length - this.at > 1
  }

  /** Texts of which it is unknown, after a failure, whether they were parsed. */
  *unsure(): Iterable<string> {
    for (const text of [BEGIN, NEXT, LAST, ROLLBACK]) yield text
    const { groups, at, rows } = this
    for (let index = at; index < groups.length; index++) {
      const { statements } = groups[index] as Group
      for (const { text } of index === at ? statements.slice(rows.length) : statements) yield text
    }
  }

  private answer(group: Group): void {
    const { rows } = this
    this.rows = []
    this.at++
    group.resolve(rows)
  }
}

const NO_VALUES: readonly null[] = []

function execute(
  text: string,
  values: readonly (string | null)[],
  outgoing: Outgoing,
  prepared: Prepared,
): void {
  const { name, parse } = prepared.take(text)
  if (parse) outgoing.parse(name, text)
  outgoing.bind(name, values)
  outgoing.execute()
}
