// Guards the screens that need a session: without one, to /auth and back again after signing in.
import { Navigate, Outlet, useLocation } from 'react-router'
import { paths, signInPath } from '../lib/paths.ts'
import { isLeaving, useSession } from '../lib/session.tsx'
import { PageLoading } from './routeStates.tsx'

export function RequireSession() {
  const { status } = useSession()
  const { pathname, search } = useLocation()
  if (status === 'loading') return <PageLoading />
  if (status === 'signedOut') {
    return <Navigate to={isLeaving() ? paths.landing : signInPath(pathname + search)} replace />
  }
  return <Outlet />
}
