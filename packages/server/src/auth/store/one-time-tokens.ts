// Rows of auth.one_time_tokens: the codes and links sent by e-mail and SMS. A row holds the hash of the address and
// the code; the link carries that hash, a person types the code. One of each kind per user; using one deletes it.
import { createHmac, randomInt, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Queryable } from '../../sql/queryable.ts'

export type TokenType =
  | 'confirmation_token'
  | 'reauthentication_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token'

/** Hashes of tokens whose link ends a PKCE flow start with this. */
export const PKCE_PREFIX = 'pkce_'

export const makeCode = (digits: number): string =>
  Array.from({ length: digits }, () => randomInt(10)).join('')

/**
 * The token's hash: an HMAC-SHA-224 of the address followed by the code, in hex, which has the form of GoTrue's plain
 * SHA-224. Keyed with the server's secret, so that the links of all million codes for an address cannot be computed.
 */
export const hashCode = ({ secret }: { secret: string }, address: string, code: string): string =>
  createHmac('sha224', secret)
    .update(address + code)
    .digest('hex')

/** Stores the token, in the place of an earlier one of its kind. */
export async function storeToken(
  client: Queryable,
  token: { userId: string; type: TokenType; hash: string; relatesTo: string },
): Promise<void> {
  await client.query(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to) values ($1, $2, $3, $4, $5)
     on conflict (user_id, token_type) do update set token_hash = excluded.token_hash,
       relates_to = excluded.relates_to, tries = 0, created_at = now(), updated_at = now()`,
    [randomUUID(), token.userId, token.type, token.hash, token.relatesTo],
  )
}

/** `address` is whom it was sent to. */
export type StoredToken = { userId: string; type: TokenType; address: string }

/** The token with one of these hashes among these kinds, and for `address` where one is given, or null. */
export async function findToken(
  client: Queryable,
  hashes: string[],
  types: TokenType[],
  address?: string,
): Promise<StoredToken | null> {
  const { rows } = await client.query<{ user_id: string; token_type: TokenType; relates_to: string }>(
    `select user_id, token_type, relates_to from auth.one_time_tokens
     where token_hash = any ($1) and token_type = any ($2::auth.one_time_token_type[])
       and ($3::text is null or lower(relates_to) = $3) limit 1`,
    [hashes, types, address ?? null],
  )
  const row = rows[0]
  return row ? { userId: row.user_id, type: row.token_type, address: row.relates_to } : null
}

/** Wrong codes after which the right one is void, too; its link stays valid. */
const MAX_TRIES = 10

/**
 * Counts a code as tried on every token of these kinds that was sent to the address, and answers whether it is the code
 * of one that is not void. Runs outside of transactions, so that a try counts even when the request fails.
 */
export async function tryCode(
  pool: pg.Pool,
  hashes: string[],
  types: TokenType[],
  address: string,
): Promise<boolean> {
  let matches = false
  // One kind at a time: a request that uses a code deletes the user's others, and two such must not wait for each other.
  for (const type of types) {
    const { rows } = await pool.query<{ token_hash: string }>(
      `update auth.one_time_tokens set tries = tries + 1
       where id in (select id from auth.one_time_tokens where lower(relates_to) = $1 and token_type = $2
                      and tries < $3 order by id for update)
       returning token_hash`,
      [address, type, MAX_TRIES],
    )
    if (rows.some(({ token_hash }) => hashes.includes(token_hash))) matches = true
  }
  return matches
}

/** Deletes the user's tokens of one kind, or all of them. */
export async function clearTokens(client: Queryable, userId: string, type?: TokenType): Promise<void> {
  await client.query(
    `delete from auth.one_time_tokens where user_id = $1 and ($2::text is null or token_type::text = $2)`,
    [userId, type ?? null],
  )
}
