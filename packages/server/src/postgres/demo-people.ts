// The people whom a project's seed made: everybody knows their passwords, so production does not start among them.
import { type Config, ConfigError } from '../config/config.ts'
import { connectClient } from '../sql/client.ts'

/** Throws a ConfigError while the database at `url` has any of them, unless ALLOW says `demo-people`. */
export async function refuseDemoPeople(url: string, config: Config): Promise<void> {
  if (!config.production || config.allow.includes('demo-people')) return
  const count = await countDemoPeople(url)
  if (count === 0) return
  const [where, other] = config.databaseUrl
    ? ['DATABASE_URL: the database', 'another database']
    : [`DATA_DIR: ${config.dataDir}`, 'a DATA_DIR of its own']
  throw new ConfigError([
    `${where} holds ${count} demo people, made by the project's seed when it was started outside of production: everybody ` +
      `knows their passwords. Start production with ${other}, or remove them first (ALLOW=demo-people starts with them)`,
  ])
}

async function countDemoPeople(url: string): Promise<number> {
  const client = await connectClient({ connectionString: url })
  try {
    // A database that no server has prepared yet has neither table.
    const { rows } = await client.query(
      `select to_regclass('supabase_migrations.seed_people') is not null and to_regclass('auth.users') is not null as seeded`,
    )
    if (!rows[0].seeded) return 0
    const found = await client.query(
      'select count(*)::int as count from supabase_migrations.seed_people join auth.users on id = user_id',
    )
    return found.rows[0].count
  } finally {
    await client.end()
  }
}
