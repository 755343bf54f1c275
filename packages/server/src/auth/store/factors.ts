// Rows of auth.mfa_factors and auth.mfa_challenges: the proofs that people give in addition to their password, and
// the questions that a client has begun to answer.
import { randomUUID } from 'node:crypto'
import type { Statement } from '../../sql/pipeline.ts'
import type { Queryable } from '../../sql/queryable.ts'

export type FactorType = 'totp' | 'phone' | 'webauthn'

/** A factor as `json_agg` gives it: dates are texts. */
export type Factor = {
  id: string
  user_id: string
  friendly_name: string | null
  factor_type: FactorType
  status: 'verified' | 'unverified'
  created_at: string
  updated_at: string
  /** Base32, for totp. */
  secret: string | null
  /** Digits only, for phone. */
  phone: string | null
  last_challenged_at: string | null
  /** The authenticator's credential, for webauthn. */
  web_authn_credential: StoredCredential | null
  /** Until when a reset by e-mail may remove it; null where it never could. */
  provisional_until: string | null
}

/** Whether a reset by e-mail may still remove the factor. */
export const isProvisional = ({ provisional_until: until }: Factor): boolean =>
  until !== null && Date.parse(until) > Date.now()

/** A credential as GoTrue stores it: bytes in base64. */
export type StoredCredential = {
  id: string
  publicKey: string
  attestationType: string
  transport: string[]
  flags: { backupEligible: boolean; backupState: boolean }
  authenticator: { AAGUID: string; signCount: number }
}

export type Challenge = {
  id: string
  created_at: Date
  verified_at: Date | null
  ip: string
  otp_code: string | null
  /** The challenge that an authenticator signs, in base64url. */
  to_sign: string | null
}

/** GoTrue's JSON of a factor; the secret is shown once, when it is made. */
export const factorJson = (factor: Factor) => ({
  id: factor.id,
  created_at: factor.created_at,
  updated_at: factor.updated_at,
  status: factor.status,
  ...(factor.friendly_name ? { friendly_name: factor.friendly_name } : {}),
  factor_type: factor.factor_type,
  phone: factor.phone,
  last_challenged_at: factor.last_challenged_at,
  ...(isProvisional(factor) ? { provisional_until: factor.provisional_until } : {}),
})

/** Adds a factor that is not verified yet; answers its id. */
export async function insertFactor(
  client: Queryable,
  factor: { userId: string; name: string; type: FactorType; secret?: string; phone?: string },
): Promise<string> {
  const id = randomUUID()
  await client.query(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
     values ($1, $2, $3, $4, 'unverified', $5, $6, now(), now())`,
    [id, factor.userId, factor.name, factor.type, factor.secret ?? null, factor.phone ?? null],
  )
  return id
}

/** Removes factors that were begun so many seconds ago and never challenged nor verified. */
export async function deleteExpiredFactors(
  client: Queryable,
  userId: string,
  seconds: number,
): Promise<void> {
  await client.query(
    `delete from auth.mfa_factors f where user_id = $1 and status <> 'verified'
       and created_at + $2 * interval '1 second' < now()
       and not exists (select from auth.mfa_challenges c where c.factor_id = f.id)`,
    [userId, seconds],
  )
}

export async function deleteFactors(
  client: Queryable,
  userId: string,
  which: { id: string } | { unverified: FactorType; phone?: string },
): Promise<void> {
  if ('id' in which) {
    await client.query('delete from auth.mfa_factors where user_id = $1 and id = $2', [userId, which.id])
    return
  }
  await client.query(
    `delete from auth.mfa_factors where user_id = $1 and factor_type = $2 and status = 'unverified'
       and ($3::text is null or phone = $3)`,
    [userId, which.unverified, which.phone ?? null],
  )
}

/** Sets columns of a factor. */
export async function updateFactor(
  client: Queryable,
  id: string,
  changes: Partial<Pick<Factor, 'status' | 'friendly_name' | 'phone'>>,
): Promise<void> {
  const names = Object.keys(changes)
  const list = names.map((name, index) => `${name} = $${index + 2}`)
  await client.query(
    `update auth.mfa_factors set ${[...list, 'updated_at = now()'].join(', ')} where id = $1`,
    [id, ...Object.values(changes)],
  )
}

/** Has the factor be provisional for so many seconds from now on. */
export async function setProvisional(client: Queryable, factorId: string, seconds: number): Promise<void> {
  await client.query(
    `insert into auth.provisional_factors (factor_id, until) values ($1, now() + $2 * interval '1 second')
     on conflict (factor_id) do nothing`,
    [factorId, seconds],
  )
}

/** The statement that lets a session remove provisional factors for so many seconds. */
export const allowFactorRemoval = (sessionId: string, seconds: number): Statement => ({
  text: `insert into auth.factor_removal_sessions (session_id, expires_at)
    values ($1, now() + $2 * interval '1 second')`,
  values: [sessionId, String(seconds)],
})

/** Whether the session may still remove provisional factors. */
export async function isFactorRemovalAllowed(client: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from auth.factor_removal_sessions where session_id = $1 and expires_at > now()',
    [sessionId],
  )
  return rowCount === 1
}

/** Notes the time step of an accepted code. Answers false where this step, or a later one, was accepted before. */
export async function spendTotpStep(client: Queryable, factorId: string, step: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into auth.used_totp_steps as used (factor_id, step) values ($1, $2)
     on conflict (factor_id) do update set step = excluded.step where used.step < excluded.step`,
    [factorId, step],
  )
  return rowCount === 1
}

/** Stores an authenticator's new key, or its new count of signatures. */
export async function setCredential(
  client: Queryable,
  id: string,
  credential: StoredCredential,
): Promise<void> {
  await client.query(
    'update auth.mfa_factors set web_authn_credential = $2, updated_at = now() where id = $1',
    [id, JSON.stringify(credential)],
  )
}

/** Begins a challenge; `hash` is of the code that was sent. Answers when it was begun. */
export async function insertChallenge(
  client: Queryable,
  challenge: { id: string; factorId: string; ip: string; hash?: string; toSign?: string },
): Promise<Date> {
  const { rows } = await client.query<{ created_at: Date }>(
    `with factor as (update auth.mfa_factors set last_challenged_at = clock_timestamp() where id = $2)
     insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
     values ($1, $2, now(), $3, $4, case when $5::text is not null then jsonb_build_object('challenge', $5::text) end)
     returning created_at`,
    [challenge.id, challenge.factorId, challenge.ip, challenge.hash ?? null, challenge.toSign ?? null],
  )
  return (rows[0] as { created_at: Date }).created_at
}

export async function findChallenge(
  client: Queryable,
  factorId: string,
  id: string,
): Promise<Challenge | null> {
  const { rows } = await client.query<Challenge>(
    `select id, created_at, verified_at, host(ip_address) as ip, otp_code,
       web_authn_session_data ->> 'challenge' as to_sign
     from auth.mfa_challenges
     where id = $1 and factor_id = $2`,
    [id, factorId],
  )
  return rows[0] ?? null
}

export async function deleteChallenge(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.mfa_challenges where id = $1', [id])
}

export async function noteVerified(client: Queryable, challengeId: string): Promise<void> {
  await client.query('update auth.mfa_challenges set verified_at = now() where id = $1', [challengeId])
}
