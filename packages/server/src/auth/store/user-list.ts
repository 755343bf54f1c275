// Pages of auth.users, for administrators.
import type { Queryable } from '../../sql/queryable.ts'
import { AUDIENCE, findUserById, type User } from './users.ts'

export type UserPage = { page: number; perPage: number; filter: string; ascending: boolean }

/**
 * One page of users by the time of their creation, and how many there are in all. `filter` is part of the e-mail
 * address or of the full name; empty for everybody.
 */
export async function listUsers(
  client: Queryable,
  { page, perPage, filter, ascending }: UserPage,
): Promise<{ users: User[]; total: number }> {
  const pattern = filter === '' ? null : `%${filter.replace(/[\\%_]/g, '\\$&')}%`
  const where = `coalesce(u.aud, '') = $1 and ($2::text is null or u.email ilike $2
    or u.raw_user_meta_data ->> 'full_name' ilike $2)`
  const { rows: counted } = await client.query<{ total: number }>(
    `select count(*)::int as total from auth.users u where ${where}`,
    [AUDIENCE, pattern],
  )
  const direction = ascending ? 'asc' : 'desc'
  const { rows } = await client.query<{ id: string }>(
    `select u.id from auth.users u where ${where}
     order by u.created_at ${direction}, u.id ${direction} limit $3 offset $4`,
    [AUDIENCE, pattern, perPage, (page - 1) * perPage],
  )
  const users = await Promise.all(rows.map(({ id }) => findUserById(client, id)))
  return { users: users.filter((user) => user !== null), total: counted[0]?.total ?? 0 }
}
