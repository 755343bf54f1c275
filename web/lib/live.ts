// Live screens: a feature says which rows it shows, and its queries are read again when those rows change.
// Realtime only invalidates; what is shown always comes through the Data API. One channel for each signed-in person
// and tab. https://supabase.com/docs/guides/realtime/postgres-changes

import type { RealtimeChannel } from '@supabase/supabase-js'
import type { QueryKey } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { queryClient } from './queryClient.ts'
import { createStore } from './store.ts'
import { supabase } from './supabase.ts'

export type Watch = {
  /** A table of the publication supabase_realtime. */
  table:
    | 'booking_changes'
    | 'bookings'
    | 'complaints'
    | 'messages'
    | 'no_shows'
    | 'notifications'
    | 'payments'
    | 'task_answers'
    | 'task_questions'
    | 'tasks'
    | 'time_proposals'
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

const watchName = ({ table, rows }: Watch) => `${table}:${rows}`

/** The subscribed rows by their names, and the queries that show them, including those of screens that were left. */
type Covered = Map<string, { watch: Watch; queries: Map<string, QueryKey> }>

function cover(covered: Covered, watch: Watch) {
  const name = watchName(watch)
  const { queries } = covered.get(name) ?? { queries: new Map<string, QueryKey>() }
  for (const query of watch.refresh) queries.set(JSON.stringify(query), query)
  covered.set(name, { watch, queries })
}

/** The channel of the signed-in person. Calls `onClosed` when the server has closed it. */
function createChannel(onClosed: () => void) {
  const joined = createStore(false)
  const refresh = createRefresher()
  let channel: RealtimeChannel | null = null
  let covered: Covered = new Map()
  /** Channels that listen on until the next one does. */
  const leaving: RealtimeChannel[] = []
  let generation = 0

  const covers = (watch: Watch) => covered.has(watchName(watch))
  const changed = (name: string) => refresh(covered.get(name)?.queries)

  async function listen(next: RealtimeChannel) {
    // A stored session's token must be there before the channel joins as somebody.
    await supabase.realtime.setAuth()
    if (channel !== next) return remove(next)
    next.subscribe((status) => {
      if (channel !== next) return
      const subscribed = status === 'SUBSCRIBED'
      joined.set(subscribed)
      // As when its token has expired in a window that was hidden for an hour: supabase-js joins again after errors alone.
      if (status === 'CLOSED') {
        channel = null
        onClosed()
      }
      if (!subscribed) return
      for (const old of leaving.splice(0)) remove(old)
      // Joined, or joined again after a lost connection or a gap: what happened before has not arrived.
      for (const name of covered.keys()) changed(name)
    })
  }

  return {
    joined,
    covers,
    isOpen: () => channel !== null,
    /** Refreshes these queries, too; false where that needs another channel. */
    extend(watch: Watch): boolean {
      if (!channel || !covers(watch)) return false
      cover(covered, watch)
      return true
    },
    /** A channel's rows are fixed when it joins: more of them need another channel. */
    join(userId: string, watches: Iterable<Watch>) {
      const before = channel
      const dropped = covered
      covered = new Map()
      for (const watch of watches) cover(covered, watch)
      const next = supabase.channel(`person:${userId}:${++generation}`)
      for (const [name, { watch }] of covered) {
        const rows = { event: '*', schema: 'public', table: watch.table, filter: watch.rows } as const
        next.on('postgres_changes', rows, () => changed(name))
      }
      // Queries without a subscription are read again when they are next shown.
      for (const [name, { queries }] of dropped) if (!covered.has(name)) markStale(queries)
      if (before && joined.get()) leaving.push(before)
      else if (before) remove(before)
      channel = next
      joined.set(false)
      void listen(next)
    },
    leave() {
      for (const { queries } of covered.values()) markStale(queries)
      covered = new Map()
      for (const old of leaving.splice(0)) remove(old)
      if (channel) remove(channel)
      channel = null
      if (joined.get()) joined.set(false)
    },
  }
}

function remove(old: RealtimeChannel) {
  supabase.removeChannel(old).catch(() => undefined) // it was away already
}

function markStale(queries: Map<string, QueryKey>) {
  for (const queryKey of queries.values()) queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
}

/** Has queries read again, several changes at once. */
function createRefresher() {
  const due = new Map<string, QueryKey>()
  let refreshing: ReturnType<typeof setTimeout> | undefined
  let lastRefresh = 0

  function refresh() {
    refreshing = undefined
    lastRefresh = Date.now()
    for (const queryKey of due.values()) queryClient.invalidateQueries({ queryKey })
    due.clear()
  }
  return (queries: Map<string, QueryKey> = new Map()) => {
    for (const [key, query] of queries) due.set(key, query)
    if (refreshing) return
    const delay = Math.max(REFRESH_DELAY_MS, lastRefresh + REFRESH_INTERVAL_MS - Date.now())
    refreshing = setTimeout(refresh, delay)
  }
}

function createLive() {
  const watches = new Set<Watch>()
  let person: string | null = null
  let arranging: ReturnType<typeof setTimeout> | undefined
  const channel = createChannel(() => arrange(REJOIN_DELAY_MS))

  /** Sees to it, in a moment, that the channel covers what the screens watch. */
  function arrange(delay: number) {
    clearTimeout(arranging)
    arranging = setTimeout(() => {
      if (!person || watches.size === 0) channel.leave()
      else if (![...watches].every(channel.extend)) channel.join(person, watches)
    }, delay)
  }

  return {
    subscribe: channel.joined.subscribe,
    isCurrent: (watched: Watch[]) => channel.joined.get() && watched.every(channel.covers),
    /** Returns the end of it. */
    watch(added: Watch[]): () => void {
      for (const watch of added) watches.add(watch)
      arrange(0)
      return () => {
        for (const watch of added) watches.delete(watch)
        arrange(CHANNEL_LINGER_MS)
      }
    },
    /** Listens on behalf of this person from now on, whose token supabase-js renews on the channel; returns the end of it. */
    start(userId: string): () => void {
      person = userId
      arrange(0)
      // Without a network every attempt would only fail; the browser knows when it is back.
      const pause = () => void supabase.realtime.disconnect()
      const resume = () => channel.isOpen() && supabase.realtime.connect()
      window.addEventListener('offline', pause)
      window.addEventListener('online', resume)
      return () => {
        window.removeEventListener('offline', pause)
        window.removeEventListener('online', resume)
        person = null
        clearTimeout(arranging)
        channel.leave()
      }
    },
  }
}

const live = createLive()

export const startLive = live.start

/**
 * Keeps queries current while the screen is shown; `null` while the value is unknown. Returns whether changes arrive:
 * when they do not, the screen should poll more often.
 */
export function useLive(wanted: (Watch | null)[]): boolean {
  const key = JSON.stringify(wanted.filter(Boolean))
  useEffect(() => live.watch(JSON.parse(key)), [key])
  const isCurrent = useCallback(() => live.isCurrent(JSON.parse(key)), [key])
  return useSyncExternalStore(live.subscribe, isCurrent)
}
