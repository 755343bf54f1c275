// Messages on their way: kept for this browser tab until the server has them, sent one after the other in the order they were
// written, each under an id of its own, so that one whose answer was lost is sent again and still there once.
import { useSyncExternalStore } from 'react'
import { errorText } from '../../lib/errorText.ts'
import { supabase } from '../../lib/supabase.ts'
import { type NewMessage, sendMessage } from './api/actions.ts'

export type Waiting = NewMessage & {
  state: 'sending' | 'unsent'
  /** A photo goes with it, which this page holds (`photoOf`); the part of it that has left, from 0 to 1. */
  photoShare?: number
  /** Why the server does not take it; it is sent again only when the person says so. */
  refusal?: string
}

/** Pauses between tries while the server is out of reach; the last one repeats. The browser's `online` ends them. */
const PAUSES_MS = [2_000, 5_000, 15_000, 30_000]

const listeners = new Set<() => void>()
let person: string | null = null
let waiting: Waiting[] = []
let sending = false
let failures = 0
let again: ReturnType<typeof setTimeout> | undefined
/** Photos by the id of their message: too large for the browser's storage, they last as long as the page. */
const photos = new Map<string, Blob>()

export const photoOf = (id: string) => photos.get(id)

const storageKey = (userId: string) => `outbox:${userId}`

/** Sends what this person has left in this tab, and from now on whatever they write; returns the end of it. */
export function startOutbox(userId: string): () => void {
  person = userId
  show(kept(userId))
  const resume = () => {
    failures = 0
    void send()
  }
  window.addEventListener('online', resume)
  const { data } = supabase.auth.onAuthStateChange((event) => {
    // What nobody is signed in for any more does not stay for whoever uses this browser next.
    if (event === 'SIGNED_OUT') forget(userId)
  })
  void send()
  return () => {
    window.removeEventListener('online', resume)
    data.subscription.unsubscribe()
    clearTimeout(again)
    person = null
    photos.clear()
    show([])
  }
}

/** The messages of a conversation that are on their way, in the order they were written. */
export function useWaiting(): Waiting[] {
  return useSyncExternalStore(subscribe, () => waiting)
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sends a message as soon as it can be; its text may be empty when a photo goes with it. */
export function post(message: Omit<NewMessage, 'id'>, photo: Blob | null = null) {
  const id = crypto.randomUUID()
  if (photo) photos.set(id, photo)
  const share = photo ? { photoShare: 0 } : {}
  keep([...waiting, { ...message, ...share, id, state: 'sending' }])
  void send()
}

/** Tries at once, what was refused too. */
export function sendAgain(id: string) {
  keep(waiting.map((message) => (message.id === id ? { ...message, refusal: undefined } : message)))
  failures = 0
  void send()
}

export function discard(id: string) {
  photos.delete(id)
  keep(waiting.filter((message) => message.id !== id))
}

/** One after the other, as long as the server can be reached. */
async function send() {
  clearTimeout(again)
  if (sending) return
  sending = true
  try {
    for (;;) {
      const next = waiting.find(({ refusal }) => refusal === undefined)
      if (!next) return
      mark('sending')
      const outcome = navigator.onLine
        ? await sendMessage(next, photos.get(next.id), showProgress(next.id))
        : 'unreachable'
      if (outcome === 'sent') {
        failures = 0
        discard(next.id)
      } else if (outcome === 'unreachable') {
        mark('unsent')
        again = setTimeout(send, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)])
        failures++
        return
      } else {
        const refusal = errorText(outcome)
        keep(waiting.map((one) => (one.id === next.id ? { ...one, state: 'unsent', refusal } : one)))
      }
    }
  } finally {
    sending = false
  }
}

const showProgress = (id: string) => (photoShare: number) =>
  show(waiting.map((message) => (message.id === id ? { ...message, photoShare } : message)))

const mark = (state: Waiting['state']) =>
  show(waiting.map((message) => (message.refusal === undefined ? { ...message, state } : message)))

function keep(messages: Waiting[]) {
  show(messages)
  if (!person) return
  try {
    const storable = messages.filter(({ id }) => !photos.has(id))
    if (storable.length > 0) sessionStorage.setItem(storageKey(person), JSON.stringify(storable))
    else sessionStorage.removeItem(storageKey(person))
  } catch {
    // Full or switched off: they are sent as long as this page is open.
  }
}

function kept(userId: string): Waiting[] {
  try {
    const messages = JSON.parse(sessionStorage.getItem(storageKey(userId)) ?? '[]')
    return Array.isArray(messages) ? messages : []
  } catch {
    return []
  }
}

function forget(userId: string) {
  try {
    sessionStorage.removeItem(storageKey(userId))
  } catch {
    // Nothing was kept then.
  }
}

function show(messages: Waiting[]) {
  waiting = messages
  for (const listener of listeners) listener()
}
