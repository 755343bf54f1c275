// Live screens: a feature says which rows it shows, and its queries are read again when those rows change.
// Realtime only invalidates; what is shown always comes through the Data API. One channel for each signed-in person
// and tab. https://supabase.com/docs/guides/realtime/postgres-changes

import type { RealtimeChannel } from '@supabase/supabase-js'
import type { QueryKey } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { queryClient } from './queryClient.ts'
import { supabase } from './supabase.ts'

export type Watch = {
  /** A table of the publication supabase_realtime. */
  table: 'bookings' | 'complaints' | 'messages' | 'notifications' | 'payments' | 'tasks'
  /** Which of its rows, as `column=eq.value`. */
  rows: `${string}=eq.${string}`
  /** The queries that show them; a key stands for all that begin with it. */
  refresh: QueryKey[]
}

/** Changes of one transaction come close together: they make one refresh, this long after the first … */
const REFRESH_DELAY_MS = 60
/** … and refreshes are at least this far apart, so that a storm of changes lets each answer arrive. */
const REFRESH_INTERVAL_MS = 700
/** How long the channel stays when no screen needs it: mostly another one does in a moment. */
const CHANNEL_LINGER_MS = 5_000
/** How long after the server has closed the channel it is joined again. */
const REJOIN_DELAY_MS = 1_000

const watches = new Set<Watch>()
const listeners = new Set<() => void>()
let person: string | null = null
let channel: RealtimeChannel | null = null
/** The subscribed tables, and the queries that show them, including those of screens that were left. */
let covered = new Map<string, Map<string, QueryKey>>()
let joined = false
/** Channels that listen on until the next one does. */
const leaving: RealtimeChannel[] = []
let generation = 0
let arranging: ReturnType<typeof setTimeout> | undefined

const watchName = ({ table, rows }: Watch) => `${table}:${rows}`

/**
 * Keeps queries current while the screen is shown; `null` while the value is unknown. Returns whether changes arrive:
 * when they do not, the screen should poll more often.
 */
export function useLive(wanted: (Watch | null)[]): boolean {
  const key = JSON.stringify(wanted.filter(Boolean))
  useEffect(() => {
    const added = JSON.parse(key) as Watch[]
    for (const watch of added) watches.add(watch)
    arrange(0)
    return () => {
      for (const watch of added) watches.delete(watch)
      arrange(CHANNEL_LINGER_MS)
    }
  }, [key])
  const subscribed = useCallback(
    () => joined && (JSON.parse(key) as Watch[]).every((watch) => covered.has(watchName(watch))),
    [key],
  )
  return useSyncExternalStore(subscribe, subscribed)
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setJoined(next: boolean) {
  joined = next
  for (const listener of listeners) listener()
}

/** Listens on behalf of this person from now on, whose token supabase-js renews on the channel; returns the end of it. */
export function startLive(userId: string): () => void {
  person = userId
  arrange(0)
  // Without a network every attempt would only fail; the browser knows when it is back.
  const pause = () => void supabase.realtime.disconnect()
  const resume = () => channel && supabase.realtime.connect()
  window.addEventListener('offline', pause)
  window.addEventListener('online', resume)
  return () => {
    window.removeEventListener('offline', pause)
    window.removeEventListener('online', resume)
    person = null
    leave()
  }
}

/** Sees to it, in a moment, that the channel covers what the screens watch. */
function arrange(delay: number) {
  clearTimeout(arranging)
  arranging = setTimeout(() => {
    if (!person || watches.size === 0) return leave()
    for (const watch of watches) {
      const queries = covered.get(watchName(watch))
      if (!queries || !channel) return join(person)
      for (const query of watch.refresh) queries.set(JSON.stringify(query), query)
    }
  }, delay)
}

function join(userId: string) {
  const before = channel
  const dropped = covered
  covered = new Map()
  // A channel's rows are fixed when it joins: more of them need another channel.
  const next = supabase.channel(`person:${userId}:${++generation}`)
  for (const watch of watches) {
    const name = watchName(watch)
    const queries = covered.get(name) ?? new Map<string, QueryKey>()
    for (const query of watch.refresh) queries.set(JSON.stringify(query), query)
    if (!covered.has(name)) {
      const rows = { event: '*', schema: 'public', table: watch.table, filter: watch.rows } as const
      next.on('postgres_changes', rows, () => changed(name))
    }
    covered.set(name, queries)
  }
  // Queries without a subscription are read again when they are next shown.
  for (const [name, queries] of dropped) if (!covered.has(name)) markStale(queries.values())
  if (before && joined) leaving.push(before)
  else if (before) remove(before)
  channel = next
  setJoined(false)
  listen(next)
}

async function listen(next: RealtimeChannel) {
  // A stored session's token must be there before the channel joins as somebody.
  await supabase.realtime.setAuth()
  if (channel !== next) return remove(next)
  next.subscribe((status) => {
    if (channel !== next) return
    const subscribed = status === 'SUBSCRIBED'
    setJoined(subscribed)
    // As when its token has expired in a window that was hidden for an hour: supabase-js joins again after errors alone.
    if (status === 'CLOSED') {
      channel = null
      arrange(REJOIN_DELAY_MS)
    }
    if (!subscribed) return
    for (const old of leaving.splice(0)) remove(old)
    // Joined, or joined again after a lost connection or a gap: what happened before has not arrived.
    for (const name of covered.keys()) changed(name)
  })
}

function leave() {
  clearTimeout(arranging)
  for (const queries of covered.values()) markStale(queries.values())
  covered = new Map()
  for (const old of leaving.splice(0)) remove(old)
  if (channel) remove(channel)
  channel = null
  if (joined) setJoined(false)
}

function remove(old: RealtimeChannel) {
  supabase.removeChannel(old).catch(() => undefined) // it was away already
}

function markStale(queries: Iterable<QueryKey>) {
  for (const queryKey of queries) queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
}

const due = new Map<string, QueryKey>()
let refreshing: ReturnType<typeof setTimeout> | undefined
let lastRefresh = 0

function changed(name: string) {
  for (const [key, query] of covered.get(name) ?? []) due.set(key, query)
  if (refreshing) return
  refreshing = setTimeout(refresh, Math.max(REFRESH_DELAY_MS, lastRefresh + REFRESH_INTERVAL_MS - Date.now()))
}

function refresh() {
  refreshing = undefined
  lastRefresh = Date.now()
  for (const queryKey of due.values()) queryClient.invalidateQueries({ queryKey })
  due.clear()
}
