// The toast after a sign-in. It announces the dashboard only where the way leads there.
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { pathAfterSignIn, paths } from '../../../lib/paths.ts'
import { toast } from '../../../ui/Toaster.tsx'

export function useGreeting(): () => void {
  const { t } = useTranslation()
  // Read while the form is shown: the address may have changed by the time that the sign-in is done.
  const [search] = useSearchParams()
  const toDashboard = pathAfterSignIn(search) === paths.dashboard
  return () =>
    void toast.success(
      t('auth.welcomeBack'),
      toDashboard ? { description: t('auth.redirecting') } : undefined,
    )
}
