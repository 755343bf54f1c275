// The signed-in person and their role; follows the auth service's events (spec 000 §4).
import type { Session, User } from '@supabase/supabase-js'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { loadClient } from './client.ts'
import { onConnected } from './connection.ts'
import { forgetPosition } from './devicePosition.ts'
import { dropAllDrafts } from './drafts.ts'
import { paths } from './paths.ts'
import { failPausedReads } from './pausedReads.ts'
import { awaitsSecondStep } from './secondStep.ts'
import { dropSharedPhotos } from './sharedPhotos.ts'
import { createStore } from './store.ts'
import { forgetStoredSession, mayHaveSession, onSessionStored } from './storedSession.ts'
import { claimTask, dropWaitingTask } from './taskBeforeSignUp.ts'

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
  const [session, setSession] = useState<Session | null | undefined>(() =>
    mayHaveSession() ? undefined : null,
  )
  const queryClient = useQueryClient()

  useEffect(() => {
    let known = false
    let unfollow = () => {}
    // Renewing a token that ran out is tried for half a minute, while it is known who was here last.
    if (!navigator.onLine) void lastSession().then((last) => !known && last && setSession(last))
    const forget = onConnected((client) => {
      // The callback must not call the auth service: it runs while the service's lock is held.
      const { data } = client.auth.onAuthStateChange((event, next) => {
        known = event !== 'INITIAL_SESSION' || next !== null
        if (!known && !navigator.onLine) return void lastSession().then((last) => !known && setSession(last))
        if (event === 'INITIAL_SESSION' && next && callbackEndsSession()) {
          // Not yet: the service's lock is still held.
          setTimeout(() => void client.auth.signOut({ scope: 'local' }))
          return dropReadFragment()
        }
        if (next) claimTask(next.user.id, next.user.email)
        // At once, while it is known whether the person wanted to leave.
        flushSync(() => setSession(next))
        if (event === 'SIGNED_OUT') forgetPerson(queryClient)
        if (event === 'INITIAL_SESSION') dropReadFragment()
      })
      // Renews what could not be renewed, or ends what the service knows no more.
      const renew = () => void client.auth.getSession()
      window.addEventListener('online', renew)
      unfollow = () => {
        data.subscription.unsubscribe()
        window.removeEventListener('online', renew)
      }
    })
    const stay = onSessionStored(() => void loadClient())
    return () => {
      unfollow()
      forget()
      stay()
    }
  }, [queryClient])

  const state = useMemo<SessionState>(() => {
    if (session === undefined) return loading
    if (session === null) return { ...signedOut, pending: null }
    const { user } = session
    if (awaitsSecondStep(session)) return { ...signedOut, pending: user }
    return { status: 'signedIn', session, user, pending: null }
  }, [session])

  const userId = state.user?.id
  useEffect(() => (userId ? whileLoaded(live(), ({ startLive }) => startLive(userId)) : undefined), [userId])
  useEffect(
    () => (userId ? whileLoaded(keptData(), ({ startKeeping }) => startKeeping(userId)) : undefined),
    [userId],
  )
  const isStranger = state.status === 'signedOut'
  useEffect(
    () =>
      isStranger ? whileLoaded(keptData(), ({ startKeeping, VISITOR }) => startKeeping(VISITOR)) : undefined,
    [isStranger],
  )
  // Also what is not kept of them; it is tried once more when the network is back.
  useEffect(() => (isStranger ? failPausedReads() : undefined), [isStranger])
  const own = state.session
  useEffect(() => {
    if (own?.refresh_token)
      void keptData().then(
        ({ keepSession }) => keepSession(own),
        () => undefined,
      )
  }, [own])

  return <SessionContext value={state}>{children}</SessionContext>
}

/** Removes from this device what belongs to the person who left. */
function forgetPerson(queryClient: QueryClient): void {
  queryClient.clear()
  forgetPosition()
  void dropSharedPhotos()
  void keptData().then(({ forgetKept }) => forgetKept())
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

const PRIORITY: Role[] = ['admin', 'task_doer', 'task_giver']

export type Roles = {
  /** All of a person's roles by priority: what they may do. */
  held: Role[]
  /** The one that the app follows: the one last chosen, on whichever device, else the first of those held. */
  active: Role | null
}

/** The cache key of a person's roles. */
export const rolesKey = (userId: string | undefined) => ['role', userId] as const

const rolesQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: rolesKey(userId),
    enabled: userId !== undefined,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }): Promise<Roles> => {
      const client = await loadClient()
      const { data } = await client
        .from('user_roles')
        .select('role,active')
        .eq('user_id', userId ?? '')
        .abortSignal(signal)
        .throwOnError()
      const held = PRIORITY.filter((role) => data.some((row) => row.role === role))
      return { held, active: data.find(({ active }) => active)?.role ?? held[0] ?? null }
    },
  })

/** The signed-in person's roles; undefined while unknown or signed out. */
export function useRoles(): Roles | undefined {
  return useQuery(rolesQuery(useSession().user?.id)).data
}

/** The role that the app follows; null while unknown or signed out. */
export function useRole(): Role | null {
  return useRoles()?.active ?? null
}

/** The same as a query, for screens that must tell "not yet known" from "none". */
export function useRoleQuery() {
  return useQuery({ ...rolesQuery(useSession().user?.id), select: ({ active }) => active })
}

/** Whether the signed-in person has that role, active or not: what they may do follows from it. */
export function useHolds(role: Role): boolean {
  return useRoles()?.held.includes(role) ?? false
}

/** In which of their roles a person meets what belongs to one side; admins post tasks without another role. */
export function roleOn(side: 'task_giver' | 'task_doer', held: Role[]): Role | null {
  return held.includes(side) ? side : (held[0] ?? null)
}

/** Changes on the way are of no use to strangers, who need not load it. */
const live = () => import('./live.ts')
const keptData = () => import('./keptData.ts')

const lastSession = () =>
  keptData().then(
    ({ keptSession }) => keptSession(),
    () => null,
  )

/** Begins once a module is loaded; the returned function ends it, also before it began. */
function whileLoaded<Module>(module: Promise<Module>, begin: (loaded: Module) => () => void): () => void {
  let ended = false
  let end: (() => void) | undefined
  module.then(
    (loaded) => {
      if (!ended) end = begin(loaded)
    },
    () => undefined, // a connection that broke off: what the module does is done at the next visit
  )
  return () => {
    ended = true
    end?.()
  }
}

/** Refusals to connect a service with an account, or to disconnect it: whoever asked stays signed in. */
const IDENTITY_ERRORS = ['identity_already_exists', 'identity_not_found', 'single_identity_not_deletable']

/**
 * Whether an address that failed brought somebody here who is signed in: what it was for is not known, nor for which
 * account, so nobody goes on as who was there before (spec 000 §8). Connecting an account begins in the Security tab.
 */
function callbackEndsSession(): boolean {
  if (!location.hash.startsWith('#error=')) return false
  const code = new URLSearchParams(location.hash.slice(1)).get('error_code') ?? ''
  const connecting = new URLSearchParams(location.search).get('tab') === 'security'
  return !connecting && !IDENTITY_ERRORS.includes(code)
}

/** Removes the session of an e-mail's link or a provider from the address after it was read. */
function dropReadFragment() {
  const failed = location.hash.startsWith('#error=')
  if (!failed && !location.href.endsWith('#')) return
  const query = new URLSearchParams(location.search)
  // The way back from a provider says it in the query, too.
  if (failed) for (const name of ['error', 'error_code', 'error_description']) query.delete(name)
  history.replaceState(history.state, '', location.pathname + (query.size ? `?${query}` : ''))
}

const leaving = createStore(false)

/** Whether the session is ending because the person signs out: a screen that needs one then sends them home. */
export const isLeaving = leaving.get

/**
 * Ends the session here and on the server, forgets what was typed, and returns to the landing page; resolves to false
 * for people who stay because something waits to be sent. With `accountGone` nobody is asked, nor the server, which
 * has forgotten the person. Throws the service's error.
 */
export function useSignOut(): (options?: { accountGone?: boolean }) => Promise<boolean> {
  const navigate = useNavigate()
  const email = useSession().user?.email
  return useCallback(
    async ({ accountGone = false } = {}) => {
      if (!accountGone && !(await (await import('./signOutConfirmation.ts')).confirmSignOut())) return false
      leaving.set(true)
      try {
        if (accountGone) forgetStoredSession()
        const { error } = await (await loadClient()).auth.signOut()
        if (error) throw error
        dropAllDrafts()
        dropWaitingTask(email)
        await navigate(paths.landing, { replace: true })
        return true
      } finally {
        leaving.set(false)
      }
    },
    [navigate, email],
  )
}
