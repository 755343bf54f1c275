// GET and POST /verify. A link is answered with a redirect that carries the session, or, in a PKCE flow, a code for it;
// a code that was typed in is answered with the session.
import { z } from 'zod'
import { type Answer, empty, json, redirect } from '../../http/answer.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { checkEmail, checkPhone } from '../addresses.ts'
import { text } from '../body.ts'
import { databaseFailure } from '../database-failures.ts'
import { authErrorOf, invalid, unprocessable } from '../errors.ts'
import { startResetSession } from '../flows/provisional-factors.ts'
import { startSession, type TokenResponse } from '../flows/sessions.ts'
import { addressKindOf, countTypedCode, type Proof, type Verified, verify } from '../flows/verification.ts'
import { errorParameters } from '../redirect-errors.ts'
import { sessionParameters, withFragment, withQuery } from '../redirects.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { issueAuthCode } from '../store/flow-state.ts'
import { PKCE_PREFIX } from '../store/one-time-tokens.ts'
import type { AuthenticationMethod } from '../store/sessions.ts'

/** How a PKCE flow of each type of verification was started. */
const FLOW_METHODS: Record<string, AuthenticationMethod> = {
  signup: 'email/signup',
  invite: 'invite',
  recovery: 'recovery',
  magiclink: 'magiclink',
  email_change: 'email_change',
}

/** Answered when one of the two links of a change of address has been followed. */
const FIRST_OF_TWO = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** HEAD /verify: mail scanners look at links with it, which must not use them up. */
export const refuseHead = (): Answer => empty(405, { allow: 'GET, POST' })

/** Redirects, with the session or with an error. Throws only for a link without token or type. */
export async function verifyLink(service: AuthService, { query, origin }: AuthRequest): Promise<Answer> {
  const [type, hash] = [query.get('type') ?? '', query.get('token') ?? '']
  if (type === '') throw invalid('Verify requires a verification type')
  if (hash === '') throw invalid('Verify requires a token or a token hash')
  const pkce = hash.startsWith(PKCE_PREFIX)
  try {
    if (addressKindOf(type) !== 'email') throw invalid('Invalid email verification type')
    return redirect(await targetOf(service, { type, hash }, origin, pkce))
  } catch (error) {
    const known =
      authErrorOf(error) ?? databaseFailure(service.log, error, { method: 'GET', path: '/verify' })
    if (!known) throw error
    return redirect(withMessage(origin.redirectTo, errorParameters(known), pkce))
  }
}

/** Uses the link and answers where it leads. */
const targetOf = (service: AuthService, proof: Proof, origin: Origin, pkce: boolean): Promise<string> =>
  service.database.transaction(async (client) => {
    const verified = await verify(client, service, proof, origin)
    if (!verified) return withMessage(origin.redirectTo, { message: FIRST_OF_TWO }, pkce)
    const { user, type } = verified
    if (pkce) {
      const code = await issueAuthCode(client, user.id, FLOW_METHODS[type] ?? 'otp')
      return withQuery(origin.redirectTo, { code })
    }
    const session = await sessionFor(client, service, verified, origin)
    return withFragment(origin.redirectTo, { ...sessionParameters(session), type })
  })

const sessionFor = (
  client: Transaction,
  service: AuthService,
  { user, type }: NonNullable<Verified>,
  origin: Origin,
): Promise<TokenResponse> =>
  (type === 'recovery' ? startResetSession : startSession)(client, service, user.id, 'otp', origin)

/** Clients of a PKCE flow read the query, others the fragment. */
const withMessage = (target: string, parameters: Record<string, string>, pkce: boolean): string =>
  withFragment(pkce ? withQuery(target, parameters) : target, parameters)

export const verifyBody = z.object({
  type: text,
  token: text,
  token_hash: text,
  email: text,
  phone: text,
  redirect_to: text,
})

/** Checks a code typed in, or a hash that a page took from its link. Answers a session. */
export async function verifyCode(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof verifyBody>>,
): Promise<Answer> {
  const given = readProof(body)
  const { proof, counted } =
    'code' in given ? await countTypedCode(service, given) : { proof: given, counted: [] }
  const answer = await service.database.transaction(async (client) => {
    const verified = await verify(client, service, proof, origin)
    if (!verified) return { msg: FIRST_OF_TWO, code: '200' }
    return sessionFor(client, service, verified, origin)
  })
  await service.shared.giveBack(counted)
  return json(answer)
}

function readProof(body: z.output<typeof verifyBody>): Proof {
  const { type, token, token_hash: hash, email, phone } = body
  if (type === '') throw invalid('Verify requires a verification type')
  if ((token === '') === (hash === '')) throw invalid('Verify requires either a token or a token hash')
  if (hash !== '') {
    if (email !== '' || phone !== '' || body.redirect_to !== '') {
      throw invalid('Only the token_hash and type should be provided')
    }
    if (addressKindOf(type) !== 'email') throw invalid('Invalid email verification type')
    return { type, hash }
  }
  if ((email === '') === (phone === '')) {
    throw invalid('Only an email address or phone number should be provided on verify')
  }
  if (addressKindOf(type) !== (phone === '' ? 'email' : 'phone'))
    throw invalid('Unsupported verification type')
  return { type, address: phone === '' ? readEmail(email) : checkPhone(phone), code: token }
}

/** GoTrue's status and words for a malformed address are others here than where an address is given first. */
function readEmail(email: string): string {
  try {
    return checkEmail(email)
  } catch {
    throw unprocessable('validation_failed', 'Invalid email format')
  }
}
