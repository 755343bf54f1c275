// Guards the screens that need a session: without one, to /auth and back again after signing in; and once by way of
// what an account that a provider's word made still lacks.
import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation } from 'react-router'
import { finishAccountPath, paths, signInPath } from '../lib/paths.ts'
import { unfinishedAccountQuery } from '../lib/queries/unfinishedAccount.ts'
import { isLeaving, useSession } from '../lib/session.tsx'
import { PageLoading } from './routeStates.tsx'

export default function RequireSession() {
  const { status, user } = useSession()
  const unfinished = useQuery(unfinishedAccountQuery(user))
  const { pathname, search } = useLocation()
  if (status === 'loading') return <PageLoading />
  if (status === 'signedOut') {
    return (
      <>
        {/* Until the next screen has come: an empty page would bring its foot up. */}
        <PageLoading />
        <Navigate to={isLeaving() ? paths.landing : signInPath(pathname + search)} replace />
      </>
    )
  }
  // Nobody else is kept waiting for it, nor kept out when it cannot be asked.
  if (unfinished.isLoading) return <PageLoading />
  if (unfinished.data) return <Navigate to={finishAccountPath(pathname + search)} replace />
  return <Outlet />
}
