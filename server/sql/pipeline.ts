// Sends several statements to PostgreSQL in one round trip: Parse/Bind/Execute of each, then one Sync. Between
// two Syncs the extended protocol runs everything in one transaction, so all succeed or fail together.
// https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import type pg from 'pg'
import { Client } from './client.ts'
import { isStalePlan } from './errors.ts'
import { Prepared } from './prepared.ts'

export interface Statement {
  text: string
  /** Parameters in text form. */
  values?: readonly (string | null)[]
}

export interface StatementResult {
  /** Column values in PostgreSQL's text form, in the order of the select list. */
  rows: (string | null)[][]
  /** Rows selected or changed. */
  count: number
}

/** The parts of pg's connection and submittable contracts that this file uses. */
interface Connection {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: number[] }): void
  bind(message: { portal: string; statement: string; values: readonly (string | null)[] }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

const preparedOn = new WeakMap<object, Prepared>()

/** The statements as pg's client submits them; `callback` is called once. */
class Pipeline {
  private readonly results: StatementResult[] = []
  private rows: (string | null)[][] = []
  private closing: string[] = []
  private failed = false
  private readonly statements: readonly Statement[]
  private readonly prepared: Prepared
  callback: (error: Error | null, results?: StatementResult[]) => void = () => {}

  constructor(statements: readonly Statement[], prepared: Prepared) {
    this.statements = statements
    this.prepared = prepared
  }

  submit(connection: Connection): null {
    connection.stream.cork()
    try {
      for (const { text, values = [] } of this.statements) {
        const { name, parse } = this.prepared.take(text)
        if (parse) connection.parse({ name, text, types: [] })
        connection.bind({ portal: '', statement: name, values })
        connection.execute({ portal: '', rows: 0 })
      }
      // After the statements: they may have pushed the oldest ones out.
      this.closing = this.prepared.takeDiscarded()
      for (const name of this.closing) connection.close({ type: 'S', name })
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    return null
  }

  handleRowDescription(): void {}

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.rows.push(message.fields)
  }

  handleCommandComplete(message: { text: string }): void {
    const count = Number(message.text.split(' ').at(-1))
    this.results.push({ rows: this.rows, count: Number.isInteger(count) ? count : 0 })
    this.rows = []
  }

  handleEmptyQuery(): void {
    this.results.push({ rows: [], count: 0 })
  }

  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  handleError(error: Error): void {
    if (this.failed) return
    this.failed = true
    this.prepared.putBack(this.closing)
    // Statements from the failing one on may or may not have been parsed.
    for (const { text } of this.statements.slice(this.results.length)) this.prepared.forget(text)
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.failed) this.callback(null, this.results)
  }
}

/**
 * Runs `statements` on `client` in one round trip and resolves with their results in order. Outside an open
 * transaction they are one. Rejects with PostgreSQL's error; then nothing of them is kept.
 * Statements stay prepared on the connection, so equal texts are parsed once.
 */
export async function pipeline(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  const connection = (client as unknown as { connection: object }).connection
  const prepared = preparedOn.get(connection) ?? new Prepared()
  preparedOn.set(connection, prepared)
  if (client instanceof Client) client.statements = statements.length
  try {
    return await submit(client, statements, prepared)
  } catch (error) {
    if (!isStalePlan(error)) throw error
    // The schema changed under a prepared statement, before it did anything: prepare anew, once.
    prepared.forgetAll()
    return await submit(client, statements, prepared)
  } finally {
    if (client instanceof Client) client.statements = 1
  }
}

function submit(
  client: pg.ClientBase,
  statements: readonly Statement[],
  prepared: Prepared,
): Promise<StatementResult[]> {
  return new Promise((resolve, reject) => {
    const submitted = new Pipeline(statements, prepared)
    submitted.callback = (error, results) => (error ? reject(error) : resolve(results ?? []))
    client.query(submitted as unknown as pg.Submittable)
  })
}
