// Both sides in one account: changing the active role, adding the other one, and following a page to the side it belongs to.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../lib/paths.ts'
import { profileKey } from '../lib/queries/profile.ts'
import { type Role, type Roles, rolesKey, useRoles, useSession } from '../lib/session.tsx'
import { supabase } from '../lib/supabase.ts'
import { toast } from './Toaster.tsx'
import { useAction } from './useAction.ts'

export type OtherRole = 'task_giver' | 'task_doer'

/** `switchTo(role)` shows that side at once and keeps the choice for all devices. */
export function useRoleSwitch(): (role: Role) => void {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const key = rolesKey(useSession().user?.id)
  const { mutate } = useAction<Role>(
    {
      run: async (role) => {
        await queries.cancelQueries({ queryKey: key })
        const before = queries.getQueryData<Roles>(key)
        queries.setQueryData<Roles>(key, (roles) => roles && { ...roles, active: role })
        try {
          await supabase.rpc('switch_role', { role }).throwOnError()
        } catch (error) {
          queries.setQueryData(key, before)
          throw error
        }
      },
    },
    { onError: t('ui.errorTitle') },
  )
  return mutate
}

/** Gives the signed-in person the other role and makes it the active one; `leads` to the dashboard of that side. */
export function useAddRole({ leads }: { leads: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const userId = useSession().user?.id
  return useAction<OtherRole>(
    {
      run: async (role) => {
        await supabase.rpc('add_role', { role }).throwOnError()
      },
      invalidates: [rolesKey(userId), profileKey(userId), ['publicProfile', userId], ['bookings']],
      callbacksAfterRefresh: true,
    },
    {
      onSuccess: (_, role) => {
        toast.success(t(`layout.side.now.${role}`), {
          description: role === 'task_doer' ? t('layout.side.addedBody') : undefined,
        })
        if (leads) navigate(paths.dashboard)
      },
      onError: t('ui.errorTitle'),
    },
  )
}

/**
 * Switches to `role` when a page of that side is opened, and says so in a toast. Undefined while the side is unknown; ignored for
 * people without the role. A later switch on the same page is kept.
 */
export function useOpenedSide(role: Role | null | undefined): void {
  const { t } = useTranslation()
  const switchTo = useRoleSwitch()
  const roles = useRoles()
  const { key } = useLocation()
  const followed = useRef<string>(undefined)
  useEffect(() => {
    if (!roles || !role || followed.current === key) return
    followed.current = key
    if (roles.active === role || !roles.held.includes(role)) return
    switchTo(role)
    toast.info(t(`layout.side.now.${role}`), { id: 'side', description: t('layout.side.openedBody') })
  }, [roles, role, key, switchTo, t])
}
