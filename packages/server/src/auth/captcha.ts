// CAPTCHA tokens (https://supabase.com/docs/guides/auth/auth-captcha): what a person's browser was given by hCaptcha or
// Turnstile, verified with the provider. Both speak the same protocol (https://docs.hcaptcha.com/#verify-the-user-response-server-side).
import { z } from 'zod'
import type { RequestContext } from '../http/request-context.ts'
import { parseBody, text } from './body.ts'
import { badRequest, unexpected } from './errors.ts'
import type { AuthService } from './service.ts'

const VERIFY_URLS = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

const TIMEOUT_MS = 10_000

const securityBody = z.object({ gotrue_meta_security: z.object({ captcha_token: text }).nullish() })

const verdict = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).default([]) })

/**
 * Lets a request pass whose body carries a valid token; administrators need none. Throws captcha_failed, and
 * unexpected_failure where the provider cannot be asked.
 */
export async function requireCaptcha(service: AuthService, context: RequestContext): Promise<void> {
  if (!service.settings.captcha.enabled || context.caller.role === 'service_role') return
  const token = parseBody(context.text, securityBody).gotrue_meta_security?.captcha_token.trim()
  if (!token) throw refused(['no captcha_token found'])
  const answer = await verify(service, token, context.address)
  if (!answer.success) throw refused(answer['error-codes'])
}

const refused = (reasons: string[]) =>
  badRequest('captcha_failed', `captcha protection: request disallowed (${reasons.join(', ')})`)

async function verify({ settings, log }: AuthService, token: string, ip: string | null) {
  const { provider, secret = '', verify_url: url = VERIFY_URLS[provider] } = settings.captcha
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret: secret.trim(), response: token, ...(ip ? { remoteip: ip } : {}) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return verdict.parse(await response.json())
  } catch (error) {
    log.error({ err: error, provider }, 'a CAPTCHA could not be verified')
    throw unexpected('captcha verification process failed')
  }
}
