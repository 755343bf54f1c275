// Deleting the account: a separate sign-in proves the person's identity, by the password or a code, and by the second
// factor where there is one. It is kept from one try to the next, since a code counts once.
import { isAuthError } from '@supabase/supabase-js'
import { captchaToken } from '../../../lib/captcha.ts'
import { separateClient } from '../../../lib/supabase.ts'
import type { Deletion } from '../schema.ts'

/** Where somebody signs in with; the phone number with its + sign. */
export type Address = { email: string } | { phone: string }

/** The account has a second factor, whose code was not given; to a phone it has been sent. */
export class SecondFactorNeeded extends Error {
  readonly kind: 'totp' | 'phone'

  constructor(kind: 'totp' | 'phone') {
    super('A second factor is needed')
    this.kind = kind
  }
}

const captcha = async () => ({ captchaToken: await captchaToken() })

export function accountDeletion(address: Address) {
  const client = separateClient()
  let signedIn = false
  /** The factor's code that was texted, until it was given. */
  let texted: { factorId: string; challengeId: string } | undefined

  async function signIn({ by, password, code }: Deletion): Promise<void> {
    if (signedIn) return
    const type = 'email' in address ? 'email' : 'sms'
    const { error } =
      by === 'password'
        ? await client.auth.signInWithPassword({ ...address, password, options: await captcha() })
        : await client.auth.verifyOtp({ ...address, token: code, type } as Parameters<
            typeof client.auth.verifyOtp
          >[0])
    if (error) throw error
    signedIn = true
  }

  async function proveSecondFactor(code: string): Promise<void> {
    const { mfa } = client.auth
    const { data: factors, error } = await mfa.listFactors()
    if (error) throw error
    const [app] = factors.totp
    const [phone] = factors.phone
    const [key] = factors.webauthn
    if (app) {
      if (!code) throw new SecondFactorNeeded('totp')
      const proved = await mfa.challengeAndVerify({ factorId: app.id, code })
      if (proved.error) throw proved.error
    } else if (key) {
      const proved = await mfa.webauthn.authenticate({ factorId: key.id })
      if (proved.error) throw proved.error
    } else if (phone) {
      if (!texted) {
        const challenge = await mfa.challenge({ factorId: phone.id })
        if (challenge.error) throw challenge.error
        texted = { factorId: phone.id, challengeId: challenge.data.id }
        throw new SecondFactorNeeded('phone')
      }
      const proved = await mfa.verify({ ...texted, code })
      // The next try sends another one.
      if (isAuthError(proved.error) && proved.error.code === 'mfa_challenge_expired') texted = undefined
      if (proved.error) throw proved.error
    }
  }

  return {
    /** Sends the code that signs in without a password, by e-mail or as a text message. */
    async sendCode(): Promise<void> {
      const options = { shouldCreateUser: false, ...(await captcha()) }
      const { error } = await client.auth.signInWithOtp({ ...address, options })
      if (error) throw error
    },
    /** Deletes the account for good. Rejects with SecondFactorNeeded or the service's error; may be tried again. */
    async confirm(deletion: Deletion): Promise<void> {
      await signIn(deletion)
      await proveSecondFactor(deletion.factorCode)
      await client.rpc('delete_account', { confirmation: deletion.confirmation }).throwOnError()
      signedIn = false
    },
    /** Nothing was deleted: ends the sign-in. */
    async giveUp(): Promise<void> {
      if (signedIn) await client.auth.signOut({ scope: 'local' })
    },
  }
}
