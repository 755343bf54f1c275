// The providers that are built in: where each is, what it is asked for, and how its answer is read.
import { createHmac } from 'node:crypto'
import type { ProviderName, ProviderSettings } from '../../config/providers.ts'
import { getJson } from './outgoing.ts'
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

/** What a profile is made of, besides claims. */
type Circumstances = {
  /** The issuer as its discovery document names it. */
  issuer: string
  /** The field `user` of Apple's form. */
  user: string
}

/** A provider that issues ID tokens (OpenID Connect). */
export type OpenIdDefinition = {
  kind: 'oidc'
  issuer: string
  scopes: string[]
  /** Added to the address that people are sent to. */
  parameters: Record<string, string>
  profile: (claims: Claims, circumstances: Circumstances) => Profile
}

/** A provider of OAuth 2 alone, whose API says who somebody is. */
export type OAuthDefinition = {
  kind: 'oauth2'
  /** Who it is, for the log and for `iss`. */
  issuer: string
  authorization: string
  token: string
  scopes: string[]
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
  scopes: ['openid', 'email', 'profile'],
  parameters: {},
  profile: standardProfile,
  ...more,
})

/** The address of a setting, else the usual one, without a slash at the end. */
const at = (url: string, usual: string): string => (url || usual).replace(/\/+$/, '')

const openAuth = (definition: Omit<OAuthDefinition, 'kind'>): OAuthDefinition => ({
  kind: 'oauth2',
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
      ...{ issuer: api, scopes: ['user:email'], pkce: true, idTokens: null },
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
      ...{ issuer: graph, scopes: ['email'], pkce: false },
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
