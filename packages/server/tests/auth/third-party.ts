// An application of somebody else, by openid-client, that people sign in to with their account here.
import type { SupabaseClient } from '@supabase/supabase-js'
import * as oidc from 'openid-client'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { raw } from './project.ts'

export const CALLBACK = 'http://127.0.0.1:9/callback'

/** Lines of config.toml that switch the OAuth server on. */
export const oauthServer = `
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
`

export type App = {
  clientId: string
  secret: string
  config: oidc.Configuration
  /** Sends a person's browser to the server. Answers the id of the request, and what comes back has to fit. */
  ask(more?: Record<string, string>): Promise<{
    authorizationId: string
    verifier: string
    finish(redirectUrl: string): ReturnType<typeof oidc.authorizationCodeGrant>
  }>
}

export const administrator = (server: TestServer) => stranger(server, server.secretKey).auth.admin.oauth

/** Registers an application with the administrator's API, and finds the server by discovery. */
export async function registeredApp(
  server: TestServer,
  {
    name = 'Yard Planner',
    method = 'client_secret_basic',
    callback = CALLBACK,
  }: {
    name?: string
    method?: 'client_secret_basic' | 'client_secret_post' | 'none'
    callback?: string
  } = {},
): Promise<App> {
  const { data, error } = await administrator(server).createClient({
    client_name: name,
    redirect_uris: [callback],
    token_endpoint_auth_method: method,
  })
  if (error) throw error
  const { client_id: clientId, client_secret: secret = '' } = data
  const authentication = {
    none: () => oidc.None(),
    client_secret_basic: () => oidc.ClientSecretBasic(secret),
    client_secret_post: () => oidc.ClientSecretPost(secret),
  }[method]()
  const config = await oidc.discovery(new URL(`${server.url}/auth/v1`), clientId, undefined, authentication, {
    execute: [oidc.allowInsecureRequests],
  })
  return {
    clientId,
    secret,
    config,
    async ask(more = {}) {
      const verifier = oidc.randomPKCECodeVerifier()
      const state = oidc.randomState()
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid profile email',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        ...more,
      })
      const response = await fetch(url, { redirect: 'manual' })
      const page = new URL(response.headers.get('location') ?? '', server.url)
      const checks = { pkceCodeVerifier: verifier, expectedState: more.state ?? state }
      const nonce = more.nonce ? { expectedNonce: more.nonce } : {}
      return {
        authorizationId: page.searchParams.get('authorization_id') ?? '',
        verifier,
        finish: (redirectUrl) =>
          oidc.authorizationCodeGrant(config, new URL(redirectUrl), { ...checks, ...nonce }),
      }
    },
  }
}

/** The person opens the page of the request and approves. Answers where the browser goes on to. */
export async function approve(client: SupabaseClient, authorizationId: string): Promise<string> {
  const shown = await client.auth.oauth.getAuthorizationDetails(authorizationId)
  if (shown.error) throw shown.error
  if ('redirect_url' in shown.data) return shown.data.redirect_url
  const { data, error } = await client.auth.oauth.approveAuthorization(authorizationId)
  if (error) throw error
  return data.redirect_url
}

/** The whole way: asks, is approved, and exchanges the code. */
export async function tokensFor(app: App, client: SupabaseClient, more: Record<string, string> = {}) {
  const { authorizationId, finish } = await app.ask(more)
  return finish(await approve(client, authorizationId))
}

/** A request to the token endpoint, with the client's credentials in the body. */
export const requestToken = (server: TestServer, app: App, body: Record<string, string>) =>
  raw(server, '/oauth/token', {
    headers: { apikey: '' },
    body: { client_id: app.clientId, client_secret: app.secret, ...body },
  })
