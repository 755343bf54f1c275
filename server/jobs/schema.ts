// Lays the graphile_worker schema, before the application's migrations run: their functions call
// graphile_worker.add_job. Follows https://worker.graphile.org/docs/library/run#runmigrations.
import { Logger, runMigrations } from 'graphile-worker'
import { connectClient } from '../postgres/client.ts'

/** Creates or upgrades the queue's schema and lets `postgres`, who owns the application's definers, add jobs. Idempotent. */
export async function installJobs(connectionString: string): Promise<void> {
  await runMigrations({ connectionString, logger: new Logger(() => () => {}) })
  const client = await connectClient({ connectionString, application_name: 'meadowlark-prepare' })
  try {
    await client.query(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'postgres') then
          grant usage on schema graphile_worker to postgres;
          grant select, insert, update, delete on all tables in schema graphile_worker to postgres;
          grant usage, select on all sequences in schema graphile_worker to postgres;
          grant execute on all functions in schema graphile_worker to postgres;
        end if;
      end $$`)
  } finally {
    await client.end()
  }
}
