// Rows of auth.webauthn_credentials and auth.webauthn_challenges: the passkeys of people, and what authenticators are
// asked to sign.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

export type Passkey = {
  id: string
  user_id: string
  credential_id: Buffer
  public_key: Buffer
  /** bigint, as text. */
  sign_count: string
  transports: string[]
  friendly_name: string
  created_at: Date
  last_used_at: Date | null
}

/** A new credential: the authenticator's id for it, the public key in COSE, and its transports. */
export type NewPasskey = {
  credentialId: Buffer
  publicKey: Buffer
  attestation: string
  aaguid: string
  counter: number
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
}

export type ChallengeType = 'registration' | 'authentication'

/** GoTrue's JSON of a passkey. */
export const passkeyJson = ({ id, friendly_name, created_at, last_used_at }: Passkey) => ({
  id,
  ...(friendly_name ? { friendly_name } : {}),
  created_at,
  ...(last_used_at ? { last_used_at } : {}),
})

/** The person's passkeys, oldest first. `id` finds one of them. */
export async function findPasskeys(client: Queryable, userId: string, id?: string): Promise<Passkey[]> {
  const { rows } = await client.query<Passkey>(
    `select * from auth.webauthn_credentials where user_id = $1 and ($2::uuid is null or id = $2)
     order by created_at, id`,
    [userId, id ?? null],
  )
  return rows
}

/**
 * Finds a credential by the authenticator's id, with its owner and public key. Locks the row until the end of the
 * transaction.
 */
export async function findCredential(client: Queryable, credentialId: Buffer): Promise<Passkey | null> {
  const { rows } = await client.query<Passkey>(
    'select * from auth.webauthn_credentials where credential_id = $1 for update',
    [credentialId],
  )
  return rows[0] ?? null
}

/** Answers null where somebody has registered this credential already. */
export async function insertPasskey(
  client: Queryable,
  userId: string,
  passkey: NewPasskey,
): Promise<Passkey | null> {
  const { rows } = await client.query<Passkey>(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
       transports, backup_eligible, backed_up)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing returning *`,
    [
      userId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.attestation,
      passkey.aaguid,
      passkey.counter,
      JSON.stringify(passkey.transports),
      passkey.backupEligible,
      passkey.backedUp,
    ],
  )
  return rows[0] ?? null
}

export async function renamePasskey(client: Queryable, id: string, name: string): Promise<void> {
  await client.query(
    'update auth.webauthn_credentials set friendly_name = $2, updated_at = now() where id = $1',
    [id, name],
  )
}

/** Notes a sign-in, with the authenticator's count of its signatures. */
export async function notePasskeyUse(
  client: Queryable,
  id: string,
  { counter, backedUp }: { counter: number; backedUp: boolean },
): Promise<void> {
  await client.query(
    `update auth.webauthn_credentials set sign_count = $2, backed_up = $3, last_used_at = now(), updated_at = now()
     where id = $1`,
    [id, counter, backedUp],
  )
}

export async function deletePasskey(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.webauthn_credentials where id = $1', [id])
}

/** Removes all of a person. */
export async function deletePasskeys(client: Queryable, userId: string): Promise<void> {
  await client.query('delete from auth.webauthn_credentials where user_id = $1', [userId])
}

/** Keeps a challenge for so many seconds. Anybody may begin a sign-in, so a few that are over go with each new one. */
export async function insertPasskeyChallenge(
  client: Queryable,
  challenge: { userId: string | null; type: ChallengeType; challenge: string; seconds: number },
): Promise<{ id: string; expiresAt: Date }> {
  const { rows } = await client.query<{ id: string; expires_at: Date }>(
    `with swept as (
       delete from auth.webauthn_challenges where id in (
         select id from auth.webauthn_challenges where expires_at < now() - interval '1 minute'
         order by expires_at limit 10 for update skip locked)
     )
     insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, expires_at)
     values ($1, $2, $3, $4, now() + $5 * interval '1 second') returning id, expires_at`,
    [
      randomUUID(),
      challenge.userId,
      challenge.type,
      JSON.stringify({ challenge: challenge.challenge }),
      challenge.seconds,
    ],
  )
  const [row] = rows as [{ id: string; expires_at: Date }]
  return { id: row.id, expiresAt: row.expires_at }
}

/** Takes a challenge, which nobody can take again. Null where it is not there, of another kind or another person's. */
export async function takePasskeyChallenge(
  client: Queryable,
  id: string,
  type: ChallengeType,
  userId: string | null,
): Promise<{ challenge: string; expired: boolean } | null> {
  const { rows } = await client.query<{ challenge: string; expired: boolean }>(
    `delete from auth.webauthn_challenges where id = $1 and challenge_type = $2 and user_id is not distinct from $3
     returning session_data ->> 'challenge' as challenge, expires_at < now() as expired`,
    [id, type, userId],
  )
  return rows[0] ?? null
}
