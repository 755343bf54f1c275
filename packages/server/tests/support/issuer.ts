// A certified OpenID Connect issuer (oidc-provider) on this machine, by whose word people sign in. Whom it signs in is
// what the test says; nobody has to type anything.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import { freePort } from './free-port.ts'

type IssuedPerson = {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  picture?: string
}

export type Issuer = {
  url: string
  clientId: string
  clientSecret: string
  /** The person at the issuer from now on; null for somebody who does not agree. */
  person: IssuedPerson | null
  /** An ID token as it signs them; `claims` override its own. */
  idToken(claims: JWTPayload): Promise<string>
  stop(): Promise<void>
}

/** Starts an issuer for a client that people come back to at `callback`. */
export async function startIssuer(callback: string): Promise<Issuer> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const [clientId, clientSecret] = ['meadowlark', randomBytes(24).toString('base64url')]
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'tests', alg: 'RS256', use: 'sig' }
  const people = new Map<string, IssuedPerson>()
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [key as never] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    // Whoever is there agrees to everything.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId,
        accountId: oidc.session?.accountId,
      } as never)
      grant.addOIDCScope('openid email profile offline_access')
      await grant.save()
      return grant
    },
  })
  provider.on('server_error', (_context, error) => console.error(error))

  async function answerInteraction(request: IncomingMessage, response: ServerResponse) {
    const { person } = issuer
    if (person) people.set(person.sub, person)
    const result = person
      ? { login: { accountId: person.sub, remember: false } }
      : { error: 'access_denied', error_description: 'The user declined' }
    await provider.interactionFinished(request, response, result)
  }

  const answer = provider.callback()
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      answerInteraction(request, response).catch((error) => {
        console.error(error)
        response.writeHead(500).end()
      })
    } else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))

  const issuer: Issuer = {
    url,
    clientId,
    clientSecret,
    person: null,
    idToken: (claims) =>
      new SignJWT({ iss: url, aud: clientId, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'tests' })
        .setIssuedAt()
        .setExpirationTime(claims.exp ?? '5m')
        .sign(privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}
