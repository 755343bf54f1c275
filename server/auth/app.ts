// The auth service's HTTP surface: GoTrue's paths, mounted at /auth/v1.
// Follows https://github.com/supabase/auth/blob/master/openapi.yaml.
import { type Context, Hono } from 'hono'
import type { BodyRefused } from '../http/bodies.ts'
import { bodyLimit } from '../http/body-limit.ts'
import type { Services } from '../services.ts'
import { isUnavailable } from '../sql/database.ts'
import { readBody } from './body.ts'
import { databaseFailure } from './database-failures.ts'
import { AuthError, badRequest, refusalByDatabase, respondWithError } from './errors.ts'
import { invite, inviteBody } from './flows/invitations.ts'
import { adminRoutes } from './routes/admin.ts'
import {
  otpBody,
  recover,
  recoverBody,
  registerRequestedMessages,
  resend,
  resendBody,
  sendOtp,
} from './routes/recover.ts'
import { refreshBody, refreshGrant } from './routes/refresh-token.ts'
import { signUp, signUpBody } from './routes/signup.ts'
import { passwordBody, passwordGrant, pkceBody, pkceGrant } from './routes/token.ts'
import { logout, reauthenticate, signedIn, updateOwnUser, updateUserBody } from './routes/user.ts'
import { verifyBody, verifyCode, verifyLink } from './routes/verify.ts'
import {
  type AuthService,
  adminRole,
  countRequest,
  openAuthService,
  originOf,
  userClaims,
} from './service.ts'
import { userJson } from './store/users.ts'

const largestBody = 1024 * 1024

const tooLarge = `Request body too large (max ${largestBody} bytes)`

/** GoTrue's codes where it has them. */
function refuseBody(c: Context, { reason, status, message }: BodyRefused): Response {
  const [code, words] = {
    408: ['request_timeout', message],
    413: ['request_entity_too_large', reason === 'large' ? tooLarge : message],
    429: ['over_request_rate_limit', message],
    503: ['unexpected_failure', message],
  }[status] as [string, string]
  return respondWithError(c, new AuthError(status, code, words))
}

/** Makes the auth service. Throws ConfigError when an email's template is wrong. */
export function createAuth(services: Services): { app: Hono } {
  const service = openAuthService(services)
  registerRequestedMessages(service)
  const app = new Hono()

  app.use(bodyLimit({ bodies: services.bodies, maxSize: largestBody, refuse: refuseBody }))
  // Answers hold tokens and personal data.
  app.use(async (c, next) => {
    await next()
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
  })
  app.onError((error, c) => {
    const refusal = error instanceof AuthError ? error : refusalByDatabase(error)
    if (refusal) return respondWithError(c, refusal)
    if (isUnavailable(error)) {
      c.header('retry-after', '1')
      return respondWithError(c, unavailable)
    }
    const failure = databaseFailure(services.log, error, c.req)
    if (failure) return respondWithError(c, failure)
    services.log.error({ err: error, path: c.req.path }, 'auth request failed')
    return respondWithError(c, unexpected)
  })
  app.notFound((c) => respondWithError(c, new AuthError(404, 'not_found', 'Path not found')))

  publicRoutes(app, service)
  signInRoutes(app, service)
  userRoutes(app, service)
  adminRoutes(app, service)
  return { app }
}

/** Providers that clients look for in the settings; signing in through one is not offered. */
const outsideProviders = [
  ...['apple', 'azure', 'bitbucket', 'discord', 'facebook', 'figma', 'fly', 'github', 'gitlab', 'google'],
  ...['kakao', 'keycloak', 'linkedin', 'linkedin_oidc', 'notion', 'slack', 'slack_oidc', 'snapchat'],
  ...['spotify', 'twitch', 'twitter', 'workos', 'zoom'],
]

const unexpected = new AuthError(
  500,
  'unexpected_failure',
  'Unexpected failure, please check server logs for more information',
)

const unavailable = new AuthError(
  503,
  'unexpected_failure',
  'The database cannot be reached just now; try again in a moment',
)

function publicRoutes(app: Hono, { settings, keys }: AuthService): void {
  app.get('/health', (c) =>
    c.json({
      version: 'v2',
      name: 'GoTrue',
      description: 'GoTrue is a user registration and authentication API',
    }),
  )
  app.get('/.well-known/jwks.json', (c) => {
    c.header('cache-control', 'public, max-age=600')
    return c.json(keys.jwks)
  })
  app.get('/settings', (c) =>
    c.json({
      external: {
        anonymous_users: settings.enable_anonymous_sign_ins,
        email: settings.email.enable_signup,
        phone: settings.sms.enable_signup,
        ...Object.fromEntries(outsideProviders.map((provider) => [provider, false])),
      },
      disable_signup: !settings.enable_signup,
      mailer_autoconfirm: !settings.email.enable_confirmations,
      phone_autoconfirm: !settings.sms.enable_confirmations,
      sms_provider: settings.sms.twilio.enabled ? 'twilio' : '',
      saml_enabled: false,
    }),
  )
}

function signInRoutes(app: Hono, service: AuthService): void {
  app.post('/signup', async (c) =>
    c.json(await signUp(service, await readBody(c, signUpBody), originOf(c, service))),
  )
  app.post('/token', async (c) => {
    const origin = originOf(c, service)
    switch (c.req.query('grant_type')) {
      case 'password':
        return c.json(await passwordGrant(service, await readBody(c, passwordBody), origin))
      case 'refresh_token':
        return c.json(await refreshGrant(service, await readBody(c, refreshBody), origin))
      case 'pkce':
        return c.json(await pkceGrant(service, await readBody(c, pkceBody), origin))
      default:
        throw badRequest('invalid_credentials', 'unsupported_grant_type')
    }
  })
  app.post('/recover', async (c) =>
    c.json(await recover(service, await readBody(c, recoverBody), originOf(c, service))),
  )
  app.post('/resend', async (c) =>
    c.json(await resend(service, await readBody(c, resendBody), originOf(c, service))),
  )
  const otp = async (c: Context) =>
    c.json(await sendOtp(service, await readBody(c, otpBody), originOf(c, service)))
  app.post('/otp', otp)
  app.post('/magiclink', otp)
  app.get('/verify', async (c) => {
    // Mail scanners look at links with HEAD, which must not use them up.
    if (c.req.method === 'HEAD') return c.body(null, 405, { allow: 'GET, POST' })
    const origin = originOf(c, service)
    countRequest(service.limits.tokenVerifications, origin)
    const link = { token: c.req.query('token') ?? '', type: c.req.query('type') ?? '' }
    return c.redirect(await verifyLink(service, link, origin), 303)
  })
  app.post('/verify', async (c) => {
    const origin = originOf(c, service)
    countRequest(service.limits.tokenVerifications, origin)
    return c.json(await verifyCode(service, await readBody(c, verifyBody), origin))
  })
}

function userRoutes(app: Hono, service: AuthService): void {
  const { database } = service
  app.get('/user', async (c) => {
    const { user } = await signedIn(database.pool, userClaims(c))
    return c.json(userJson(user))
  })
  app.put('/user', async (c) => {
    const claims = userClaims(c)
    const body = await readBody(c, updateUserBody)
    return c.json(userJson(await updateOwnUser(service, claims, body, originOf(c, service))))
  })
  app.get('/reauthenticate', async (c) =>
    c.json(await reauthenticate(service, userClaims(c), originOf(c, service))),
  )
  app.post('/logout', async (c) => {
    await logout(service, userClaims(c), c.req.query('scope') ?? '', originOf(c, service))
    return c.body(null, 204)
  })
  app.post('/invite', async (c) => {
    const origin = { ...originOf(c, service), role: adminRole(c) }
    return c.json(userJson(await invite(service, await readBody(c, inviteBody), origin)))
  })
}
