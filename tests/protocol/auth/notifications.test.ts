// Meadowlark's e-mails about account changes, with its own templates: recipients, and the person's language.

import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../../../packages/server/tests/auth/people.ts'
import { giver, nextMessage } from '../../../packages/server/tests/auth/project.ts'
import { type Issuer, startIssuer } from '../../../packages/server/tests/support/issuer.ts'
import { stranger } from '../../support/people.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let issuer: Issuer

beforeAll(async () => {
  const port = await freePort()
  issuer = await startIssuer(`http://localhost:${port}/auth/v1/callback`)
  server = await startTestServer({
    env: {
      PORT: String(port),
      SUPABASE_AUTH_EXTERNAL_GOOGLE_ENABLED: 'true',
      SUPABASE_AUTH_EXTERNAL_GOOGLE_CLIENT_ID: issuer.clientId,
      SUPABASE_AUTH_EXTERNAL_GOOGLE_SECRET: issuer.clientSecret,
      SUPABASE_AUTH_EXTERNAL_GOOGLE_URL: issuer.url,
    },
  })
  await server.database.pool.query('delete from auth.rate_limits')
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
})

const SUBJECTS = {
  de: {
    password_changed: 'Dein Passwort für Meadowlark wurde geändert',
    identity_linked: 'Ein neuer Weg, dich bei Meadowlark anzumelden',
    identity_unlinked: 'Ein Weg zum Anmelden bei Meadowlark wurde entfernt',
    mfa_factor_enrolled: 'Die Anmeldung in zwei Schritten ist eingerichtet',
    mfa_factor_unenrolled: 'Ein zweiter Schritt wurde entfernt',
    email_changed: 'Deine E-Mail-Adresse für Meadowlark wurde geändert',
  },
  ar: {
    password_changed: 'تغيّرت كلمة مرورك في Meadowlark',
    identity_linked: 'طريقة جديدة لتسجيل الدخول إلى Meadowlark',
    identity_unlinked: 'أُزيلت طريقة لتسجيل الدخول إلى Meadowlark',
    mfa_factor_enrolled: 'التحقق بخطوتين مفعّل',
    mfa_factor_unenrolled: 'أُزيلت خطوة ثانية',
    email_changed: 'تغيّر بريدك الإلكتروني في Meadowlark',
  },
  en: {
    password_changed: 'Your Meadowlark password was changed',
    identity_linked: 'A new way to sign in to Meadowlark',
    identity_unlinked: 'A way to sign in to Meadowlark was removed',
    mfa_factor_enrolled: 'Two-step verification is set up',
    mfa_factor_unenrolled: 'A second step was removed',
    email_changed: 'Your Meadowlark email was changed',
  },
}

/** The token that a link for a change of address carries. */
const hashIn = (links: string[]) =>
  links
    .map((link) => new URL(link).searchParams)
    .find((search) => search.get('type') === 'email_change')
    ?.get('token_hash') ?? undefined

test.each(Object.entries(SUBJECTS))(
  'each change is mailed in %s, as the person reads',
  async (language, subjects) => {
    const email = `grace+${language}@example.com`
    const client = stranger(server)
    const { auth } = client
    const data = { ...giver('Grace Field'), language }
    expect((await auth.signUp({ email, password, options: { data } })).error).toBeNull()
    const { code } = await nextMessage(server, email)
    expect((await auth.verifyOtp({ email, token: code as string, type: 'signup' })).error).toBeNull()

    /** The e-mail that `change` has sent to `to`. */
    const mailOf = async (change: () => Promise<{ error: unknown }>, to = email) => {
      const seen = await server.inbox()
      expect((await change()).error).toBeNull()
      return nextMessage(server, to, seen)
    }

    const changed = await mailOf(() =>
      auth.updateUser({ password: 'Prairie2026', current_password: password }),
    )
    expect(changed.subject).toBe(subjects.password_changed)
    expect(changed.html).toContain(`lang="${language}"`)
    expect(changed.text).not.toMatch(/\{\{|undefined/)

    const token = await issuer.idToken({
      sub: language,
      email: `grace+${language}@work.example`,
      email_verified: true,
    })
    const linked = await mailOf(() => auth.linkIdentity({ provider: 'google', token }))
    expect([linked.subject, linked.text.toLowerCase().includes('google')]).toEqual([
      subjects.identity_linked,
      true,
    ])
    const identities = (await auth.getUserIdentities()).data?.identities ?? []
    const google = identities.find(({ provider }) => provider === 'google')
    if (!google) throw new Error('no identity')
    const unlinked = await mailOf(() => auth.unlinkIdentity(google))
    expect([unlinked.subject, unlinked.text.toLowerCase().includes('google')]).toEqual([
      subjects.identity_unlinked,
      true,
    ])

    const factor = (await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })).data
    const totp = new TOTP({ secret: Secret.fromBase32(factor?.totp?.secret as string) })
    const factorId = factor?.id as string
    const enrolled = await mailOf(() => auth.mfa.challengeAndVerify({ factorId, code: totp.generate() }))
    expect(enrolled.subject).toBe(subjects.mfa_factor_enrolled)
    expect((await mailOf(() => auth.mfa.unenroll({ factorId }))).subject).toBe(subjects.mfa_factor_unenrolled)

    // A new address is confirmed from both; the old one is notified.
    const next = `grace+new.${language}@example.com`
    const fresh = await mailOf(() => auth.updateUser({ email: next }), next)
    const ofOld = async () => (await server.inbox()).find(({ to, links }) => to === email && hashIn(links))
    await expect.poll(ofOld).toBeDefined()
    const old = await ofOld()
    const confirm = (links: string[] = []) =>
      auth.verifyOtp({ token_hash: hashIn(links) ?? '', type: 'email_change' })
    expect((await confirm(fresh.links)).error).toBeNull()
    const last = await mailOf(() => confirm(old?.links))
    expect([last.subject, last.to]).toEqual([subjects.email_changed, email])
  },
)
