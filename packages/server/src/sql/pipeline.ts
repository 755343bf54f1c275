// Sends several statements to PostgreSQL in one round trip: Parse/Bind/Execute of each, then one Sync. Between
// two Syncs the extended protocol runs everything in one transaction, so all succeed or fail together.
// https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import pg from 'pg'
import { Client } from './client.ts'
import { isStalePlan } from './errors.ts'
import { Prepared } from './prepared.ts'

export interface Statement {
  text: string
  /** Parameters in text form. */
  values?: readonly (string | null)[]
  /** Is given its rows, and the results before it, at once: before PostgreSQL goes on to the next statement. */
  onResult?(rows: readonly unknown[], before: readonly unknown[]): void
}

export interface StatementResult {
  /** Column values in PostgreSQL's text form, in the order of the select list. */
  rows: (string | null)[][]
  /** Rows selected or changed. */
  count: number
}

/** A column as PostgreSQL describes it. */
type Field = { name: string; dataTypeID: number }

/** The parts of pg's connection and submittable contracts that this file uses. */
interface Connection {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: number[] }): void
  bind(message: { portal: string; statement: string; values: readonly (string | null)[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  flush(): void
  sync(): void
}

const preparedOn = new WeakMap<object, Prepared>()

/** The statements as pg's client submits them; `callback` is called once. */
class Pipeline {
  private readonly results: StatementResult[] = []
  private readonly fields: Field[][] = []
  private rows: (string | null)[][] = []
  private closing: string[] = []
  private failed = false
  private readonly statements: readonly Statement[]
  private readonly prepared: Prepared
  private readonly described: boolean
  callback: (error: Error | null, results?: StatementResult[]) => void = () => {}

  /** `described`: the columns of each result are wanted, too. */
  constructor(statements: readonly Statement[], prepared: Prepared, described = false) {
    this.statements = statements
    this.prepared = prepared
    this.described = described
  }

  submit(connection: Connection): null {
    connection.stream.cork()
    try {
      for (const { text, values = [], onResult } of this.statements) {
        const { name, parse } = this.prepared.take(text)
        if (parse) connection.parse({ name, text, types: [] })
        connection.bind({ portal: '', statement: name, values })
        if (this.described) connection.describe({ type: 'P', name: '' })
        connection.execute({ portal: '', rows: 0 })
        if (onResult) connection.flush()
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

  handleRowDescription(message: { fields: Field[] }): void {
    this.fields[this.results.length] = message.fields
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.rows.push(message.fields)
  }

  handleCommandComplete(message: { text: string }): void {
    const count = Number(message.text.split(' ').at(-1))
    this.statements[this.results.length]?.onResult?.(this.rows, this.results)
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

  /** The rows of the statement at this place, as `client.query` gives them. */
  typedRows(at: number): pg.QueryResultRow[] {
    const columns = (this.fields[at] ?? []).map(({ name, dataTypeID }) => ({
      name,
      parse: pg.types.getTypeParser(dataTypeID, 'text'),
    }))
    return (this.results[at]?.rows ?? []).map((row) =>
      Object.fromEntries(
        columns.map(({ name, parse }, column) => {
          const value = row[column] ?? null
          return [name, value === null ? null : parse(value)]
        }),
      ),
    )
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
  const prepared = statementsOf(client)
  try {
    return await submit(client, new Pipeline(statements, prepared), statements.length)
  } catch (error) {
    if (!isStalePlan(error)) throw error
    // The schema changed under a prepared statement, before it did anything: prepare anew, once.
    prepared.forgetAll()
    return await submit(client, new Pipeline(statements, prepared), statements.length)
  }
}

/**
 * Runs the statements of a transaction in one round trip; resolves with the rows of each, their columns as pg parses
 * them. Rejects with PostgreSQL's error, after which the transaction can only be rolled back. Rows read while another
 * transaction holds a lock are stale: a statement that waits for a lock comes first, and by itself.
 */
export async function queryTogether(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<pg.QueryResultRow[][]> {
  const prepared = statementsOf(client)
  const submitted = new Pipeline(statements, prepared, true)
  await submit(client, submitted, statements.length).catch((error) => {
    if (isStalePlan(error)) prepared.forgetAll()
    throw error
  })
  return statements.map((_, at) => submitted.typedRows(at))
}

function statementsOf(client: pg.ClientBase): Prepared {
  const { connection } = client as unknown as { connection: object }
  const prepared = preparedOn.get(connection) ?? new Prepared()
  preparedOn.set(connection, prepared)
  return prepared
}

async function submit(client: pg.ClientBase, submitted: Pipeline, count: number): Promise<StatementResult[]> {
  if (client instanceof Client) client.statements = count
  try {
    return await new Promise((resolve, reject) => {
      submitted.callback = (error, results) => (error ? reject(error) : resolve(results ?? []))
      client.query(submitted as unknown as pg.Submittable)
    })
  } finally {
    if (client instanceof Client) client.statements = 1
  }
}
