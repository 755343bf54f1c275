// Every endpoint of the auth service: method, path, who may call it, what it is limited by, the body it takes, and the
// handler. Mounted at /auth/v1. Access: `public` needs nothing, `key` an API key, `user` the token of somebody who is
// signed in (no OAuth client's, unless `forClients`), `bearer` such a token without a key, `service` the secret key. Limits
// are those of limits/limiters.ts, by client address, `shared` by all servers; `captcha` asks for a token there where config.toml turns CAPTCHA on.
import { noRoute } from '../http/answer.ts'
import { type AuthRoute, route } from './route.ts'
import { listAudit } from './routes/admin-audit.ts'
import {
  changeProvider as changeCustomProvider,
  createProvider as createCustomProvider,
  customProviderBody,
  deleteProvider as deleteCustomProvider,
  getProvider as getCustomProvider,
  listProviders as listCustomProviders,
} from './routes/admin-custom-providers.ts'
import { adminFactorBody, changeFactor, deleteFactor, listFactors } from './routes/admin-factors.ts'
import {
  changeProvider,
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  ssoProviderBody,
} from './routes/admin-sso-providers.ts'
import { listAllUsers } from './routes/admin-user-list.ts'
import {
  adminUserBody,
  changeUser,
  createUser,
  deleteUser,
  deleteUserBody,
  getUser,
} from './routes/admin-users.ts'
import { authorize } from './routes/authorize.ts'
import { callback, callbackForm } from './routes/callback.ts'
import { challengeFactor, challengeFactorBody } from './routes/challenge-factor.ts'
import { discover } from './routes/discovery.ts'
import { enrollFactor, enrollFactorBody } from './routes/enroll-factor.ts'
import { generateLink, generateLinkBody } from './routes/generate-link.ts'
import { idTokenBody, signInWithIdToken } from './routes/id-token.ts'
import { linkIdentity, unlinkIdentity } from './routes/identities.ts'
import { invite, inviteBody } from './routes/invite.ts'
import { logout } from './routes/logout.ts'
import {
  consentBody,
  decideAuthorization,
  showAuthorization,
  startAuthorization,
} from './routes/oauth-authorize.ts'
import {
  changeClient,
  clientBody,
  getClient,
  listAllClients,
  regenerateSecret,
  registerClient,
  registerDynamically,
  registrationBody,
  removeClient,
} from './routes/oauth-clients.ts'
import { listGrants, revokeGrant, showUserInfo } from './routes/oauth-grants.ts'
import { ifEnabled } from './routes/oauth-server.ts'
import { issueTokens } from './routes/oauth-token.ts'
import { otpBody, sendOtp } from './routes/otp.ts'
import { beginPasskeySignIn, finishPasskeySignIn } from './routes/passkey-sign-in.ts'
import {
  beginRegistration,
  deletePasskey,
  deletePasskeyOf,
  finishRegistration,
  listPasskeys,
  listPasskeysOf,
  passkeyAnswerBody,
  passkeyNameBody,
  renamePasskey,
} from './routes/passkeys.ts'
import { proofBody, proveAgain, reauthenticate } from './routes/reauthenticate.ts'
import { recover, recoverBody } from './routes/recover.ts'
import { refresh, refreshBody } from './routes/refresh-token.ts'
import { resend, resendBody } from './routes/resend.ts'
import { consumeAssertion, samlMetadata } from './routes/saml.ts'
import { health, jwks, publicSettings } from './routes/settings.ts'
import { signUp, signUpBody, signUpLimit } from './routes/signup.ts'
import { signInWithSso, ssoBody } from './routes/sso.ts'
import { exchangeCode, passwordBody, pkceBody, signIn, unsupportedGrant } from './routes/token.ts'
import { unenrollFactor } from './routes/unenroll-factor.ts'
import { getOwnUser, updateOwnUser, updateUserBody } from './routes/user.ts'
import { refuseHead, verifyBody, verifyCode, verifyLink } from './routes/verify.ts'
import { verifyFactor, verifyFactorBody } from './routes/verify-factor.ts'
import { signInWithWeb3, web3Body } from './routes/web3.ts'

export const AUTH_ROUTES: readonly AuthRoute[] = [
  route('GET /health', 'key', {}, health),
  route('GET /settings', 'key', {}, publicSettings),
  route('GET /.well-known/jwks.json', 'public', {}, jwks),
  route('GET /.well-known/openid-configuration', 'public', {}, discover),
  route('GET /.well-known/oauth-authorization-server', 'public', {}, discover),

  route('POST /signup', 'key', { limit: signUpLimit, captcha: true, body: signUpBody }, signUp),
  route(
    'POST /token?grant_type=password',
    'key',
    { limit: 'signInSignUps', captcha: true, body: passwordBody },
    signIn,
  ),
  route('POST /token?grant_type=refresh_token', 'key', { limit: 'tokenRefresh', body: refreshBody }, refresh),
  route('POST /token?grant_type=pkce', 'key', { limit: 'tokenRefresh', body: pkceBody }, exchangeCode),
  route(
    'POST /token?grant_type=id_token',
    'key',
    { limit: 'signInSignUps', shared: true, body: idTokenBody },
    signInWithIdToken,
  ),
  route(
    'POST /token?grant_type=web3',
    'key',
    { limit: 'web3', shared: true, captcha: true, body: web3Body },
    signInWithWeb3,
  ),
  route('POST /token', 'key', {}, unsupportedGrant),
  route('POST /recover', 'key', { limit: 'signInSignUps', captcha: true, body: recoverBody }, recover),
  route('POST /resend', 'key', { limit: 'signInSignUps', captcha: true, body: resendBody }, resend),
  route('POST /otp', 'key', { limit: 'signInSignUps', captcha: true, body: otpBody }, sendOtp),
  route('POST /magiclink', 'key', { limit: 'signInSignUps', captcha: true, body: otpBody }, sendOtp),
  route(
    'POST /sso',
    'key',
    { limit: 'signInSignUps', shared: true, captcha: true, body: ssoBody },
    signInWithSso,
  ),
  // Read by identity providers, and where their pages send browsers.
  route('GET /sso/saml/metadata', 'public', {}, samlMetadata),
  route('POST /sso/saml/acs', 'public', { limit: 'samlAssertions', shared: true }, consumeAssertion),
  // Opened by a browser on the way to a provider.
  route('GET /authorize', 'public', { limit: 'signInSignUps', shared: true }, authorize),
  // Opened by a browser on the way back; Apple has it send a form.
  route('GET /callback', 'public', { limit: 'tokenVerifications', shared: true }, callback),
  route('POST /callback', 'public', { limit: 'tokenVerifications', shared: true }, callbackForm),
  // Opened by a browser from an email, which sends no key.
  route('HEAD /verify', 'public', {}, refuseHead),
  route('GET /verify', 'public', { limit: 'tokenVerifications' }, verifyLink),
  route('POST /verify', 'public', { limit: 'tokenVerifications', body: verifyBody }, verifyCode),

  route('GET /user', 'user', { forClients: true }, getOwnUser),
  route('PUT /user', 'user', { limit: 'signInSignUps', body: updateUserBody }, updateOwnUser),
  route('GET /user/identities/authorize', 'user', { limit: 'signInSignUps', shared: true }, linkIdentity),
  route('DELETE /user/identities/:id', 'user', { limit: 'signInSignUps', shared: true }, unlinkIdentity),
  route('GET /reauthenticate', 'user', { limit: 'signInSignUps' }, reauthenticate),
  route(
    'POST /reauthenticate',
    'user',
    { limit: 'tokenVerifications', shared: true, body: proofBody },
    proveAgain,
  ),
  route('POST /logout', 'user', {}, logout),

  route(
    'POST /factors',
    'user',
    { limit: 'signInSignUps', shared: true, body: enrollFactorBody },
    enrollFactor,
  ),
  route(
    'POST /factors/:id/challenge',
    'user',
    { limit: 'tokenVerifications', shared: true, body: challengeFactorBody },
    challengeFactor,
  ),
  route(
    'POST /factors/:id/verify',
    'user',
    { limit: 'tokenVerifications', shared: true, body: verifyFactorBody },
    verifyFactor,
  ),
  route('DELETE /factors/:id', 'user', { limit: 'tokenVerifications', shared: true }, unenrollFactor),

  // Applications of others, which send no API key, and the browsers that they send here.
  route(
    'GET /oauth/authorize',
    'public',
    { limit: 'signInSignUps', shared: true },
    ifEnabled(startAuthorization),
  ),
  route('POST /oauth/token', 'public', { limit: 'tokenRefresh', shared: true }, ifEnabled(issueTokens)),
  route('GET /oauth/userinfo', 'bearer', { forClients: true }, ifEnabled(showUserInfo)),
  route(
    'POST /oauth/clients/register',
    'public',
    { limit: 'signInSignUps', shared: 'oauthRegistrations', body: registrationBody },
    ifEnabled(registerDynamically),
  ),
  route(
    'GET /oauth/authorizations/:id',
    'user',
    { limit: 'tokenVerifications', shared: true },
    ifEnabled(showAuthorization),
  ),
  route(
    'POST /oauth/authorizations/:id/consent',
    'user',
    { limit: 'tokenVerifications', shared: true, body: consentBody },
    ifEnabled(decideAuthorization),
  ),
  route('GET /user/oauth/grants', 'user', {}, ifEnabled(listGrants)),
  route(
    'DELETE /user/oauth/grants',
    'user',
    { limit: 'tokenVerifications', shared: true },
    ifEnabled(revokeGrant),
  ),

  route(
    'POST /passkeys/authentication/options',
    'key',
    { limit: 'signInSignUps', shared: true, captcha: true },
    beginPasskeySignIn,
  ),
  route(
    'POST /passkeys/authentication/verify',
    'key',
    { limit: 'signInSignUps', shared: true, body: passkeyAnswerBody },
    finishPasskeySignIn,
  ),
  route(
    'POST /passkeys/registration/options',
    'user',
    { limit: 'signInSignUps', shared: true },
    beginRegistration,
  ),
  route(
    'POST /passkeys/registration/verify',
    'user',
    { limit: 'signInSignUps', shared: true, body: passkeyAnswerBody },
    finishRegistration,
  ),
  route('GET /passkeys', 'user', {}, listPasskeys),
  route(
    'PATCH /passkeys/:passkey',
    'user',
    { limit: 'signInSignUps', shared: true, body: passkeyNameBody },
    renamePasskey,
  ),
  route('DELETE /passkeys/:passkey', 'user', { limit: 'signInSignUps', shared: true }, deletePasskey),

  route('POST /invite', 'service', { body: inviteBody }, invite),
  route('POST /admin/generate_link', 'service', { body: generateLinkBody }, generateLink),
  route('GET /admin/audit', 'service', {}, listAudit),
  route('GET /admin/users', 'service', {}, listAllUsers),
  route('POST /admin/users', 'service', { body: adminUserBody }, createUser),
  route('GET /admin/users/:id', 'service', {}, getUser),
  route('PUT /admin/users/:id', 'service', { body: adminUserBody }, changeUser),
  route('DELETE /admin/users/:id', 'service', { body: deleteUserBody }, deleteUser),
  route('GET /admin/users/:id/passkeys', 'service', {}, listPasskeysOf),
  route('DELETE /admin/users/:id/passkeys/:passkey', 'service', {}, deletePasskeyOf),
  route('GET /admin/users/:id/factors', 'service', {}, listFactors),
  route('PUT /admin/users/:id/factors/:factor', 'service', { body: adminFactorBody }, changeFactor),
  route('DELETE /admin/users/:id/factors/:factor', 'service', {}, deleteFactor),
  route('GET /admin/oauth/clients', 'service', {}, ifEnabled(listAllClients)),
  route('POST /admin/oauth/clients', 'service', { body: registrationBody }, ifEnabled(registerClient)),
  route('GET /admin/oauth/clients/:id', 'service', {}, ifEnabled(getClient)),
  route('PUT /admin/oauth/clients/:id', 'service', { body: clientBody }, ifEnabled(changeClient)),
  route('DELETE /admin/oauth/clients/:id', 'service', {}, ifEnabled(removeClient)),
  route('POST /admin/oauth/clients/:id/regenerate_secret', 'service', {}, ifEnabled(regenerateSecret)),

  route('GET /admin/sso/providers', 'service', {}, listProviders),
  route('POST /admin/sso/providers', 'service', { body: ssoProviderBody }, createProvider),
  route('GET /admin/sso/providers/:id', 'service', {}, getProvider),
  route('PUT /admin/sso/providers/:id', 'service', { body: ssoProviderBody }, changeProvider),
  route('DELETE /admin/sso/providers/:id', 'service', {}, deleteProvider),

  route('GET /admin/custom-providers', 'service', {}, listCustomProviders),
  route('POST /admin/custom-providers', 'service', { body: customProviderBody }, createCustomProvider),
  route('GET /admin/custom-providers/:identifier', 'service', {}, getCustomProvider),
  route(
    'PUT /admin/custom-providers/:identifier',
    'service',
    { body: customProviderBody },
    changeCustomProvider,
  ),
  route('DELETE /admin/custom-providers/:identifier', 'service', {}, deleteCustomProvider),

  // Browsers come here from emails and redirects, and bring no key.
  route('* /verify', 'public', {}, noRoute),
  route('* /authorize', 'public', {}, noRoute),
  route('* /callback', 'public', {}, noRoute),
  route('* /sso/saml/*', 'public', {}, noRoute),
  route('* /.well-known/*', 'public', {}, noRoute),
  route('* /*', 'key', {}, noRoute),
]

/** Below the paths of discovery at the root of the host, for the issuer that is mounted at /auth/v1. */
export const DISCOVERY_ROUTES: readonly AuthRoute[] = [route('GET /auth/v1', 'public', {}, discover)]
