// Lays the graphile_worker schema, before the application's migrations run: their functions call
// graphile_worker.add_job. Follows https://worker.graphile.org/docs/library/run#runmigrations.
import { createRequire } from 'node:module'
import { Logger, runMigrations } from 'graphile-worker'
import { openPool } from '../sql/pool.ts'

/** Rights that `postgres`, the owner of the application's definers, needs to add jobs. */
const GRANTS = `
  do $$ begin
    if exists (select from pg_roles where rolname = 'postgres') then
      grant usage on schema graphile_worker to postgres;
      grant select, insert, update, delete on all tables in schema graphile_worker to postgres;
      grant usage, select on all sequences in schema graphile_worker to postgres;
      grant execute on all functions in schema graphile_worker to postgres;
    end if;
  end $$`

/** The version of the schema that `installJobs` creates; changes with it. */
export function jobsVersion(): string {
  const { version } = createRequire(import.meta.url)('graphile-worker/package.json') as { version: string }
  return `graphile-worker ${version} ${GRANTS}`
}

/** Creates or upgrades the queue's schema. Idempotent. `settings` are PostgreSQL's, for the connections that do it. */
export async function installJobs(connectionString: string, settings: Record<string, string>): Promise<void> {
  const pgPool = openPool(connectionString, { max: 1, name: 'meadowlark-prepare', settings })
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
    await pgPool.query(GRANTS)
  } finally {
    await pgPool.end()
  }
}
