// The hooks around a new account: one may refuse it, one is notified of it. Follow
// https://supabase.com/docs/guides/auth/auth-hooks/before-user-created-hook.
import { randomUUID } from 'node:crypto'
import { withoutData } from '../database-failures.ts'
import type { AuthService } from '../service.ts'
import { AUDIENCE, findUserById, type Metadata, userJson } from '../store/users.ts'
import { type HookContext, isHookEnabled, runHook } from './hooks.ts'

/** An account that is to be made, as far as it is known before. `provider` is null for an anonymous one. */
export type ProposedUser = {
  email?: string | null
  phone?: string | null
  provider: string | null
  data: Metadata
}

/** Where Go has no time yet. */
const NO_TIME = '0001-01-01T00:00:00Z'

/**
 * Asks the hook, where there is one, whether the account may be made; outside of any transaction where its caller has
 * none yet. Answers the id that the account is to have. Throws the hook's own error.
 */
export async function beforeUserCreated(
  service: AuthService,
  { email, phone, provider, data }: ProposedUser,
  context: HookContext,
): Promise<string> {
  const id = randomUUID()
  if (!isHookEnabled(service, 'before_user_created')) return id
  const user = {
    id,
    aud: AUDIENCE,
    role: '',
    email: email ?? '',
    phone: phone ?? '',
    app_metadata: provider === null ? {} : { provider, providers: [provider] },
    user_metadata: data,
    identities: [],
    created_at: NO_TIME,
    updated_at: NO_TIME,
    is_anonymous: provider === null,
  }
  await runHook(service, 'before_user_created', { user }, context)
  return id
}

/** Notifies the hook of an account that was made. Its failure is logged and changes nothing. */
export async function afterUserCreated(
  service: AuthService,
  userId: string,
  ip: string | null,
): Promise<void> {
  if (!isHookEnabled(service, 'after_user_created')) return
  try {
    const user = await findUserById(service.database.pool, userId)
    if (user) await runHook(service, 'after_user_created', { user: userJson(user) }, { ip })
  } catch (error) {
    service.log.warn({ ...withoutData(error), user: userId }, 'a hook was not notified of a new account')
  }
}
