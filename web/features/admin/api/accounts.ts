// Actions of an admin on an account: suspend, lift a suspension, set roles. The database rejects a change that leaves
// no admin.
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

/** Gives that person exactly these roles. */
export const setRoles = (person: string): Action<{ roles: Enums<'app_role'>[] }> => ({
  ...changesPeople,
  run: async ({ roles }) => {
    await supabase.rpc('set_roles', { person, roles }).throwOnError()
  },
})

/** E-mails to the person's address, after it bounced or they had marked one as spam. */
export const resumeEmailsTo = (person: string): Action => ({
  ...changesPeople,
  run: () => resumeEmails(person),
})
