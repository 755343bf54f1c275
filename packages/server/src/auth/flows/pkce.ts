// PKCE (RFC 7636): reads the challenge that a client starts with, and compares it with the verifier at the end.
import { createHash, timingSafeEqual } from 'node:crypto'
import { invalid } from '../errors.ts'
import type { Flow, FlowState } from '../store/flow-state.ts'

/** Reads the two fields of a request's body. Throws validation_failed for half a challenge or a malformed one. */
export function readFlow(body: { code_challenge: string; code_challenge_method: string }): Flow {
  const { code_challenge: challenge, code_challenge_method: methodName } = body
  if (challenge === '' && methodName === '') return null
  if (challenge === '' || methodName === '') {
    throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (challenge.length < 43 || challenge.length > 128) {
    throw invalid('code challenge has to be between 43 and 128 characters')
  }
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) {
    throw invalid(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  }
  const method = methodName.toLowerCase()
  if (method !== 's256' && method !== 'plain') {
    throw invalid(`unsupported code_challenge method ${JSON.stringify(methodName)}`)
  }
  return { challenge, method }
}

type Challenge = Pick<FlowState, 'code_challenge' | 'code_challenge_method'>

/** Whether `verifier` is what the flow's challenge was made from. */
export function provesChallenge(flow: Challenge, verifier: string): boolean {
  const derived =
    flow.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier
  const [expected, given] = [Buffer.from(flow.code_challenge), Buffer.from(derived)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
