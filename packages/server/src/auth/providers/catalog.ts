// The providers that are built in: where each is, what it is asked for, and how its answer is read.
import { createHmac } from 'node:crypto'
import type { CustomFetch } from 'openid-client'
import type { ProviderName, ProviderSettings } from '../../config/providers.ts'
import { boundedFetch, getJson } from './outgoing.ts'
import {
  appleProfile,
  azureProfile,
  type Claims,
  facebookProfile,
  githubProfile,
  limitedLoginProfile,
  type Profile,
  standardProfile,
} from './profiles.ts'

/** Inputs of a profile other than claims. */
type Circumstances = {
  /** The issuer as its discovery document names it. */
  issuer: string
  /** The field `user` of Apple's form. */
  user: string
}

type Common = {
  /** The issuer; for the log, and for `iss` the API. */
  issuer: string
  scopes: string[]
  /** Added to the address that people are sent to. */
  parameters: Record<string, string>
  /** How it is asked. */
  fetch: CustomFetch
}

/** A provider that issues ID tokens (OpenID Connect). */
type OpenIdDefinition = Common & {
  kind: 'oidc'
  /** Where its metadata are, if not at the issuer's usual address. */
  discoveryUrl: string | null
  /** Whether it takes a code challenge; null where its metadata tell. */
  pkce: boolean | null
  profile: (claims: Claims, circumstances: Circumstances) => Profile
}

/** A provider of OAuth 2 alone, whose API says who somebody is. */
type OAuthDefinition = Common & {
  kind: 'oauth2'
  authorization: string
  token: string
  /** How this server shows who it is: in the body, or as the provider takes it, which is found out. */
  authentication: 'body' | 'either'
  /** Whether it takes a code challenge (RFC 7636). */
  pkce: boolean
  profile: (accessToken: string, settings: { secret: string }) => Promise<Profile>
  /** ID tokens that its apps may bring, where there are any. */
  idTokens: Pick<OpenIdDefinition, 'issuer' | 'profile'> | null
}

export type Definition = OpenIdDefinition | OAuthDefinition

const openId = (issuer: string, more: Partial<OpenIdDefinition> = {}): OpenIdDefinition => ({
  kind: 'oidc',
  issuer,
  discoveryUrl: null,
  pkce: null,
  parameters: {},
  fetch: boundedFetch,
  scopes: ['openid', 'email', 'profile'],
  profile: standardProfile,
  ...more,
})

/** The address of a setting, else the usual one, without a slash at the end. */
const at = (url: string, usual: string): string => (url || usual).replace(/\/+$/, '')

type BuiltIn = Omit<OAuthDefinition, 'kind' | 'parameters' | 'fetch' | 'authentication'>
const openAuth = (definition: BuiltIn): OAuthDefinition => ({
  kind: 'oauth2',
  parameters: {},
  fetch: boundedFetch,
  authentication: 'body',
  ...definition,
})

const DEFINITIONS: Record<ProviderName, (url: string) => Definition> = {
  google: (url) => openId(at(url, 'https://accounts.google.com')),
  keycloak: (url) => openId(at(url, url)),
  apple: (url) =>
    openId(at(url, 'https://appleid.apple.com'), {
      scopes: ['openid', 'email', 'name'],
      // Apple sends the name by no other way.
      parameters: { response_mode: 'form_post' },
      profile: (claims, { user }) => appleProfile(claims, user),
    }),
  azure: (url) =>
    openId(`${at(url, 'https://login.microsoftonline.com/common')}/v2.0`, {
      profile: (claims, { issuer }) => azureProfile(claims, issuer),
    }),
  github: (url) => {
    const host = at(url, 'https://github.com')
    const api = url ? `${host}/api/v3` : 'https://api.github.com'
    return openAuth({
      issuer: api,
      scopes: ['user:email'],
      pkce: true,
      idTokens: null,
      authorization: `${host}/login/oauth/authorize`,
      token: `${host}/login/oauth/access_token`,
      profile: async (token) => {
        const [user, emails] = await Promise.all([
          getJson(`${api}/user`, token),
          getJson(`${api}/user/emails`, token),
        ])
        return githubProfile(user as Claims, emails, api)
      },
    })
  },
  facebook: (url) => {
    const graph = at(url, 'https://graph.facebook.com')
    return openAuth({
      issuer: graph,
      scopes: ['email'],
      pkce: false,
      authorization: `${at(url, 'https://www.facebook.com')}/dialog/oauth`,
      token: `${graph}/oauth/access_token`,
      profile: async (token, { secret }) => {
        const query = new URLSearchParams({
          fields: 'email,first_name,last_name,name,picture',
          // Shows that the token is used by the app that it was issued to.
          appsecret_proof: createHmac('sha256', secret).update(token).digest('hex'),
        })
        return facebookProfile((await getJson(`${graph}/me?${query}`, token)) as Claims, graph)
      },
      idTokens: { issuer: 'https://www.facebook.com', profile: limitedLoginProfile },
    })
  },
}

export const definitionOf = (name: ProviderName, { url }: ProviderSettings): Definition =>
  DEFINITIONS[name](url)

/** The issuers of the built-in providers, by which ID tokens are recognised. */
export const USUAL_ISSUERS: Record<string, string> = {
  apple: 'https://appleid.apple.com',
  google: 'https://accounts.google.com',
  facebook: 'https://www.facebook.com',
  kakao: 'https://kauth.kakao.com',
}
