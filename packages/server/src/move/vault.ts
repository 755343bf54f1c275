// The secrets of the vault. Each home encrypts them with its own key, so they are decrypted and written anew.
import type pg from 'pg'

export interface Secret {
  name: string
  secret: string
  description: string
}

/** They say where the home itself is, and how it is called. */
const OF_THE_HOME = ['supabase_functions_url', 'supabase_service_role_key']

/** The secrets in the vault, by name; none if there is no vault. */
export async function readSecrets(client: pg.Client): Promise<Secret[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('vault.decrypted_secrets') is not null as there`,
  )
  if (!rows[0]?.there) return []
  const found = await client.query<Secret>(
    `select name, decrypted_secret as secret, coalesce(description, '') as description from vault.decrypted_secrets
     where name is not null and name <> all ($1) order by name`,
    [OF_THE_HOME],
  )
  return found.rows
}

/** Writes those that differ; answers the names of all, whoever has them now. Others at the target stay. */
export async function writeSecrets(client: pg.Client, secrets: Secret[]): Promise<string[]> {
  const there = new Map((await readSecrets(client)).map((one) => [one.name, one]))
  for (const { name, secret, description } of secrets) {
    const before = there.get(name)
    if (before?.secret === secret && before.description === description) continue
    await client.query(
      before
        ? 'select vault.update_secret((select id from vault.secrets where name = $2), $1, $2, $3)'
        : 'select vault.create_secret($1, $2, $3)',
      [secret, name, description],
    )
  }
  return secrets.map(({ name }) => name)
}
