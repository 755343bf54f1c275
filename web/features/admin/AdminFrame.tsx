// The frame of the back office: for admins only, and says so to everybody else (specification 000 §2); one navigation above
// every page of it.
import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, Outlet, useLocation } from 'react-router'
import { paths, signInPath } from '../../lib/paths.ts'
import { isLeaving, useHolds, useRoleQuery, useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { secondFactorQuery } from './api/access.ts'
import { AdminNavigation } from './components/AdminNavigation.tsx'

export default function AdminFrame() {
  const { t } = useTranslation()
  const { status, session } = useSession()
  const { pathname, search } = useLocation()
  const role = useRoleQuery()
  const admin = useHolds('admin')
  const refused = role.isSuccess && !admin
  const demand = useQuery({ ...secondFactorQuery(session), enabled: admin })
  const allowed = admin && demand.data === false
  const failed = role.isLoadingError || demand.isLoadingError

  useEffect(() => {
    if (status === 'signedOut' && !isLeaving()) {
      toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notSignedIn') })
    }
    if (refused) toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notAllowed') })
    if (failed) toast.error(t('admin.error'), { id: 'access', description: t('admin.accessFailed') })
  }, [status, refused, failed, t])

  if (status === 'signedOut') {
    return <Navigate to={isLeaving() ? paths.landing : signInPath(pathname + search)} replace />
  }
  if (refused) return <Navigate to={paths.dashboard} replace />
  const waiting = role.isPending || (admin && demand.isPending)
  return (
    <>
      {allowed && <AdminNavigation />}
      {waiting && <div aria-hidden className="h-12 border-b border-line bg-surface box-content" />}
      <Page className="pt-6 sm:pt-8">
        {failed && <ErrorState onRetry={() => (role.isLoadingError ? role : demand).refetch()} />}
        {waiting && <Spinner label={t('ui.loading')} />}
        {demand.data && <SecondFactorDemand />}
        {allowed && <Outlet />}
      </Page>
    </>
  )
}

/** To an admin who has no second factor: the database does nothing for them before. */
function SecondFactorDemand() {
  const { t } = useTranslation()
  return (
    <EmptyState
      scene={false}
      icon={ShieldCheck}
      title={t('admin.secondFactor')}
      body={t('admin.secondFactorBody')}
      action={
        <Button asChild>
          <Link to={`${paths.profile}?tab=security`}>{t('admin.secondFactorSetUp')}</Link>
        </Button>
      }
    />
  )
}
