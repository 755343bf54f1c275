// The frame of the back office: for admins only, and says so to everybody else (specification 000 §2); one navigation above
// every page of it.
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Outlet, useLocation } from 'react-router'
import { paths, signInPath } from '../../lib/paths.ts'
import { isLeaving, useRoleQuery, useSession } from '../../lib/session.tsx'
import { Page } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { AdminNavigation } from './components/AdminNavigation.tsx'

export default function AdminFrame() {
  const { t } = useTranslation()
  const { status } = useSession()
  const { pathname, search } = useLocation()
  const role = useRoleQuery()
  const allowed = role.data === 'admin'
  const refused = role.isSuccess && !allowed

  useEffect(() => {
    if (status === 'signedOut' && !isLeaving()) {
      toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notSignedIn') })
    }
    if (refused) toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notAllowed') })
    if (role.isLoadingError)
      toast.error(t('admin.error'), { id: 'access', description: t('admin.accessFailed') })
  }, [status, refused, role.isLoadingError, t])

  if (status === 'signedOut') {
    return <Navigate to={isLeaving() ? paths.landing : signInPath(pathname + search)} replace />
  }
  if (refused) return <Navigate to={paths.dashboard} replace />
  return (
    <>
      {allowed && <AdminNavigation />}
      <Page className="pt-6 sm:pt-8">
        {role.isLoadingError && <ErrorState title={t('admin.accessFailed')} onRetry={() => role.refetch()} />}
        {role.isPending && <Spinner label={t('ui.loading')} />}
        {allowed && <Outlet />}
      </Page>
    </>
  )
}
