// Connects to the database by itself: with what functions are given, then as somebody else, then without a password.
import pg from 'pg'

async function ask(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    const { rows } = await client.query(
      'select current_user as name, count(*)::int as fruit from public.fruit',
    )
    return rows[0]
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await client.end()
  }
}

export default async function handler(
  _: Request,
  env: Record<string, string | undefined>,
): Promise<Response> {
  const url = env.SUPABASE_DB_URL ?? ''
  return Response.json({
    given: await ask(url),
    superuser: await ask(url.replace('//postgres:', '//supabase_admin:')),
    bare: await ask(url.replace(/:[^:@]+@/, ':wrong@')),
  })
}
