// A recent sign-in, which the service asks for before it changes how an account is signed in to
// (`credential_change_max_age`). People who signed in a while ago enter the password or a code, and the change goes
// on.
import { isAuthError } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { codedErrorOf } from './codedErrors.ts'
import { createStore, type ReadonlyStore } from './store.ts'
import { postToAuth, supabase } from './supabase.ts'

type Asked = { resolve: () => void; reject: (error: Error) => void }

const asked = createStore<Asked | null>(null)
const givenUpText = createStore('')

/** For the prompt: the change that waits for it, and how it ends. */
export const freshSignInPrompt = {
  asked: asked as ReadonlyStore<Asked | null>,
  /** The error's text after giving up. The dialog sets it: pages that never ask do not load it. */
  setGivenUpText: givenUpText.set,
  done() {
    asked.get()?.resolve()
    asked.set(null)
  },
  giveUp() {
    asked.get()?.reject(new Error(givenUpText.get()))
    asked.set(null)
  },
}

/** The auth service and the database say so by their codes. */
const isStale = (error: unknown): boolean =>
  isAuthError(error)
    ? error.code === 'reauthentication_needed'
    : codedErrorOf(error)?.code === 'account.reauthentication_needed'

/**
 * Runs `attempt`. If the service requires a recent sign-in, the person confirms their identity and it runs once more.
 * Needs a FreshSignInPrompt on the page. Rejects with an Error for the person if they give up.
 */
export async function withFreshSignIn<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt()
  } catch (error) {
    if (!isStale(error)) throw error
  }
  freshSignInPrompt.giveUp()
  await new Promise<void>((resolve, reject) => asked.set({ resolve, reject }))
  return attempt()
}

/** Whether the account has a password, and where its codes are sent. */
export const proofQuery = queryOptions({
  queryKey: ['freshSignIn'],
  staleTime: 0,
  queryFn: async ({ signal }) => {
    const [{ data }, password] = await Promise.all([
      supabase.auth.getSession(),
      supabase.rpc('has_password').abortSignal(signal).throwOnError(),
    ])
    const { email, phone } = data.session?.user ?? {}
    return { hasPassword: password.data, address: email || (phone ? `+${phone}` : '') }
  },
})

/** Sends the code. */
export async function sendProofCode(): Promise<void> {
  const { error } = await supabase.auth.reauthenticate()
  if (error) throw error
}

/** Makes the session's sign-in recent. Rejects with the service's error. */
export async function proveAgain(proof: { password: string } | { nonce: string }): Promise<void> {
  await postToAuth('reauthenticate', proof)
  // The token that goes with the session says so from then on, to the database, too.
  const { error } = await supabase.auth.refreshSession()
  if (error) throw error
}
