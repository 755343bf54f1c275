// Data that the person has last seen, kept in this browser for use without a network: lists, tasks, bookings and
// conversations, separately for each account until it is signed out; for visitors, the open tasks. Shown only while
// the backend is out of reach. Other queries fail then, so that their screens say so. Unsent entries are stored
// separately (outboxStorage.ts).
import type { Session } from '@supabase/supabase-js'
import { type DehydratedState, dehydrate, hydrate, onlineManager, type Query } from '@tanstack/react-query'
import { clear, createStore, delMany, get, keys, set, update } from 'idb-keyval'
import { isUnreachable } from './errorText.ts'
import { failPausedReads } from './pausedReads.ts'
import { queryClient } from './queryClient.ts'

/**
 * The first parts of the keys of stored data; money beyond a booking's state, documents and the back office are not.
 */
const KEPT = [
  ...['tasks', 'bookings', 'messages', 'inbox', 'notifications', 'contacts'],
  ...['role', 'profile', 'publicProfile', 'favourites', 'reviews', 'restrictions', 'unfinishedAccount'],
]
/** The entry shared by visitors who are not signed in: only public tasks. */
export const VISITOR = 'visitor'
const KEPT_OF_VISITORS = ['tasks']
const KEPT_FOR_MS = 7 * 24 * 60 * 60_000
/** So many queries at most, those that were read last. */
const MAX_QUERIES = 300
const SAVE_DELAY_MS = 1_000
/** As long as the page is open, what is kept stays in memory as well. */
const IN_MEMORY_MS = 24 * 60 * 60_000

type Queries = DehydratedState['queries']

const store = createStore('kept', 'entries')
const queriesKey = (userId: string) => `queries:${userId}`
export const outboxKey = (userId: string) => `outbox:${userId}`
const SESSION = 'session'
/** Data kept by an earlier version may have another shape; the name of its script tells them apart. */
const version = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''

/**
 * Stores the data that this person (or VISITOR) sees from now on, and shows it once the backend is out of reach;
 * returns the function that ends it.
 */
export function startKeeping(userId: string): () => void {
  const kinds = userId === VISITOR ? KEPT_OF_VISITORS : KEPT
  const isKept = (query: Query) =>
    query.state.status === 'success' && kinds.includes(String(query.queryKey[0]))
  let ended = false
  let saving: ReturnType<typeof setTimeout> | undefined
  for (const key of kinds) queryClient.setQueryDefaults([key], { gcTime: IN_MEMORY_MS })
  const save = () => {
    clearTimeout(saving)
    saving = undefined
    if (ended) return
    const { queries } = dehydrate(queryClient, { shouldDehydrateQuery: isKept })
    // Where the browser keeps nothing, the app works without.
    update<{ version: string; queries: Queries }>(
      queriesKey(userId),
      (before) => ({ version, queries: merged(before?.version === version ? before.queries : [], queries) }),
      store,
    ).catch(() => undefined)
  }
  let restored = false
  let stopFailing = () => {}
  const restore = async () => {
    if (restored) return
    restored = true
    await hydrateKept()
    if (ended) return
    // All that is kept is there: a read that waits for the network now has nothing to show.
    stopFailing = failPausedReads()
  }
  const hydrateKept = async () => {
    const kept = await get<{ version: string; queries: Queries }>(queriesKey(userId), store).catch(
      () => undefined,
    )
    if (ended || kept?.version !== version) return
    // Newer data in memory stay.
    hydrate(queryClient, { mutations: [], queries: fresh(kept.queries) })
  }
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return
    if (event.action.type === 'success' && isKept(event.query)) saving ??= setTimeout(save, SAVE_DELAY_MS)
    if (event.action.type === 'error' && isUnreachable(event.action.error)) void restore()
  })
  // Lists may have been read before the app had started.
  if (queryClient.getQueryCache().getAll().some(isKept)) saving = setTimeout(save, SAVE_DELAY_MS)
  const online = onlineManager.subscribe((isOnline) => {
    if (!isOnline) return void restore()
    restored = false
    stopFailing()
  })
  const hide = () => document.hidden && saving && save()
  document.addEventListener('visibilitychange', hide)
  if (!onlineManager.isOnline()) void restore()
  // Another person's unsent entries wait for them as long as nobody signs in.
  if (userId !== VISITOR) void forgetOthers(userId)
  return () => {
    ended = true
    clearTimeout(saving)
    unsubscribe()
    stopFailing()
    online()
    document.removeEventListener('visibilitychange', hide)
  }
}

function merged(before: Queries, now: Queries): Queries {
  const byHash = new Map([...before, ...now].map((query) => [query.queryHash, query]))
  return fresh([...byHash.values()])
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .slice(0, MAX_QUERIES)
}

const fresh = (queries: Queries) =>
  queries.filter(({ state }) => state.dataUpdatedAt > Date.now() - KEPT_FOR_MS)

/**
 * Keeps who is signed in, without what renews the session: a token that runs out while there is no network can't be
 * renewed, and supabase-js then knows nobody.
 */
export async function keepSession(session: Session): Promise<void> {
  await set(SESSION, { ...session, refresh_token: '' }, store).catch(() => undefined)
}

/** The session when the network was last available; null for none. */
export async function keptSession(): Promise<Session | null> {
  return (await get<Session>(SESSION, store).catch(() => null)) ?? null
}

/** Forgets everything, of every account. */
export async function forgetKept(): Promise<void> {
  await clear(store).catch(() => undefined)
}

/** Somebody else's, whose session ended without a word here. */
async function forgetOthers(userId: string): Promise<void> {
  const kept = await keys<string>(store).catch(() => [])
  const own = [queriesKey(userId), outboxKey(userId), SESSION]
  const others = kept.filter((key) => !own.includes(key))
  await delMany(others, store).catch(() => undefined)
}

/** One transaction over what is kept; resolves once it is done with what `work` resolved to, rejects when it fails. */
export function entriesOfKept<Result = void>(
  mode: IDBTransactionMode,
  work: (entries: IDBObjectStore, resolve: (result: Result) => void) => void,
): Promise<Result> {
  return store(
    mode,
    (entries) =>
      new Promise<Result>((resolve, reject) => {
        let result: Result | undefined
        work(entries, (value) => {
          result = value
        })
        entries.transaction.oncomplete = () => resolve(result as Result)
        entries.transaction.onabort = entries.transaction.onerror = () => reject(entries.transaction.error)
      }),
  )
}
