// Signing out from a menu: says so when it could not be done.
import { useTranslation } from 'react-i18next'
import { useSignOut } from '../lib/session.tsx'
import { toast } from '../ui/Toaster.tsx'

export function useSignOutAction(): () => void {
  const { t } = useTranslation()
  const signOut = useSignOut()
  return () => {
    signOut().catch(() => toast.error(t('errors.signOut')))
  }
}
