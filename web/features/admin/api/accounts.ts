// What an admin does to an account: suspend it, lift that, give it another role. The database refuses what would leave no admin.
import type { Enums } from '../../../lib/database.types.ts'
import { resumeEmails } from '../../../lib/queries/suppressedAddress.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const changesPeople = { invalidates: [['admin']], invalidatesOnError: true, callbacksAfterRefresh: true }

/** Suspends that person until it is lifted; they read the reason. */
export const suspendPerson = (person: string): Action<{ reason: string }> => ({
  ...changesPeople,
  run: async ({ reason }) => {
    await supabase.rpc('suspend_person', { person, reason }).throwOnError()
  },
})

export const liftSuspension = (person: string): Action => ({
  ...changesPeople,
  run: async () => {
    await supabase.rpc('lift_suspension', { person }).throwOnError()
  },
})

export const setRole = (person: string): Action<{ role: Enums<'app_role'> }> => ({
  ...changesPeople,
  run: async ({ role }) => {
    await supabase.rpc('set_role', { person, role }).throwOnError()
  },
})

/** E-mails to the person's address, after it bounced or they had marked one as spam. */
export const resumeEmailsTo = (person: string): Action => ({
  ...changesPeople,
  run: () => resumeEmails(person),
})
