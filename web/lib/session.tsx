// Who is signed in, and in which role; follows the auth service's events (spec 000 §4).
import type { Session, User } from '@supabase/supabase-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { dropAllDrafts } from './drafts.ts'
import { startLive } from './live.ts'
import { paths } from './paths.ts'
import { awaitsSecondStep } from './secondStep.ts'
import { supabase } from './supabase.ts'
import { claimTask, dropWaitingTask } from './waitingTask.ts'

export type Role = 'task_giver' | 'task_doer' | 'admin'

type SessionState =
  | { status: 'loading'; session: null; user: null; pending: null }
  /** `pending` is whose second step is still to come: until then they are nobody. */
  | { status: 'signedOut'; session: null; user: null; pending: User | null }
  | { status: 'signedIn'; session: Session; user: User; pending: null }

const loading: SessionState = { status: 'loading', session: null, user: null, pending: null }
const signedOut = { status: 'signedOut', session: null, user: null } as const

const SessionContext = createContext<SessionState>(loading)

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const queryClient = useQueryClient()

  useEffect(() => {
    // The callback must not call the auth service: it runs while the service's lock is held.
    const { data } = supabase.auth.onAuthStateChange((event, next) => {
      if (next) claimTask(next.user.id, next.user.email)
      // At once, while it is known whether the person wanted to leave.
      flushSync(() => setSession(next))
      if (event === 'SIGNED_OUT') queryClient.clear()
      if (event === 'INITIAL_SESSION') dropReadFragment()
    })
    return () => data.subscription.unsubscribe()
  }, [queryClient])

  const state = useMemo<SessionState>(() => {
    if (session === undefined) return loading
    if (session === null) return { ...signedOut, pending: null }
    const { user } = session
    if (awaitsSecondStep(session)) return { ...signedOut, pending: user }
    return { status: 'signedIn', session, user, pending: null }
  }, [session])

  const userId = state.user?.id
  useEffect(() => (userId ? startLive(userId) : undefined), [userId])

  return <SessionContext value={state}>{children}</SessionContext>
}

/** `{status, session, user, pending}`; status is 'loading' only until the stored session has been read. */
export function useSession(): SessionState {
  return useContext(SessionContext)
}

/** The signed-in person's id, for screens behind RequireSession. Throws elsewhere. */
export function useUserId(): string {
  const { user } = useSession()
  if (!user) throw new Error('useUserId: nobody is signed in')
  return user.id
}

const priority: Role[] = ['admin', 'task_doer', 'task_giver']

/** The signed-in person's role: admin before task_doer before task_giver; null while unknown or signed out. */
export function useRole(): Role | null {
  return useRoleQuery().data ?? null
}

/** The same as a query, for screens that must tell "not yet known" from "none". */
export function useRoleQuery() {
  const { user } = useSession()
  return useQuery({
    queryKey: ['role', user?.id],
    enabled: user !== null,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }): Promise<Role | null> => {
      const { data } = await supabase
        .from('user_roles')
        .select('role')
        .eq('user_id', user?.id ?? '')
        .abortSignal(signal)
        .throwOnError()
      const held = data.map((row) => row.role)
      return priority.find((role) => held.includes(role)) ?? null
    },
  })
}

/** What an e-mail's link or a provider brought has been read by now; the address need not show it any more. */
function dropReadFragment() {
  const failed = location.hash.startsWith('#error=')
  if (!failed && !location.href.endsWith('#')) return
  const query = new URLSearchParams(location.search)
  // The way back from a provider says it in the query, too.
  if (failed) for (const name of ['error', 'error_code', 'error_description']) query.delete(name)
  history.replaceState(history.state, '', location.pathname + (query.size ? `?${query}` : ''))
}

let leaving = false

/** Whether the session is ending because the person signs out: a screen that needs one then sends them home. */
export function isLeaving(): boolean {
  return leaving
}

/**
 * Ends the session here and on the server, forgets what was typed, and returns to the landing page. Throws the
 * service's error.
 */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate()
  const email = useSession().user?.email
  return useCallback(async () => {
    leaving = true
    try {
      const { error } = await supabase.auth.signOut()
      if (error) throw error
      dropAllDrafts()
      dropWaitingTask(email)
      await navigate(paths.landing, { replace: true })
    } finally {
      leaving = false
    }
  }, [navigate, email])
}
