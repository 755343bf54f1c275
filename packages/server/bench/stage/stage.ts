// Where a topic measures: an empty folder, a dedicated PostgreSQL, and processes that end with it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { packageFile } from '../../src/package-root.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/cluster/embedded.ts'

export interface Stage {
  /** An empty folder, removed at the end. PostgreSQL's account can pass through it. */
  directory: string
  log(line: string): void
  /** Words that choose single cases of the topic; none means all. */
  cases: readonly string[]
  /** Runs when the topic is over, the last one first. */
  onEnd(stop: () => unknown): void
  /** The topic's PostgreSQL, as the server carries it, with its default settings. Started when first asked for. */
  postgres(settings?: Record<string, string>): Promise<EmbeddedPostgres>
  /** Runs SQL as the superuser and resolves with the last statement's rows. */
  sql<Row extends pg.QueryResultRow>(database: string, text: string, values?: unknown[]): Promise<Row[]>
  end(): Promise<void>
}

export function openStage(name: string, { cases, log }: Pick<Stage, 'cases' | 'log'>): Stage {
  const directory = mkdtempSync(join(tmpdir(), `meadowlark-bench-${name}-`))
  chmodSync(directory, 0o711)
  const stops: (() => unknown)[] = []
  let cluster: Promise<EmbeddedPostgres> | null = null

  function postgres(settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    cluster ??= startEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      settings,
      extensions: [packageFile('extensions')],
      log,
    })
    return cluster
  }

  return {
    directory,
    log,
    cases,
    onEnd: (stop) => stops.push(stop),
    postgres,
    async sql(database, text, values) {
      const client = new pg.Client({ connectionString: (await postgres()).url(database) })
      await client.connect()
      try {
        const result = await client.query(text, values)
        return (Array.isArray(result) ? result.at(-1) : result).rows
      } finally {
        await client.end()
      }
    },
    async end() {
      for (const stop of stops.reverse()) {
        try {
          await stop()
        } catch (error) {
          log(`could not stop: ${(error as Error).message}`)
        }
      }
      await (await cluster)?.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
