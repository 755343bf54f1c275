// The tasker's statements on the day of the work, and reports that somebody did not come. The database holds the rules.
import { addMinutes } from 'date-fns'
import type { TablesUpdate } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const refresh = {
  invalidates: [['bookings'], ['payments'], ['tasks']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
} as const

async function change(bookingId: string, columns: TablesUpdate<'bookings'>) {
  await supabase.from('bookings').update(columns).eq('id', bookingId).select('id').single().throwOnError()
}

/** On the way: arrives within so many minutes from now. */
export const stateWindow = (bookingId: string): Action<readonly [from: number, until: number]> => ({
  ...refresh,
  run: ([from, until]) => {
    const now = new Date()
    return change(bookingId, {
      arrives_from: addMinutes(now, from).toISOString(),
      arrives_until: addMinutes(now, until).toISOString(),
    })
  },
})

export const stateArrival = (bookingId: string): Action => ({
  ...refresh,
  run: () => change(bookingId, { arrived_at: new Date().toISOString() }),
  found: async () => {
    const { data } = await supabase
      .from('bookings')
      .select('arrived_at')
      .eq('id', bookingId)
      .single()
      .throwOnError()
    return data.arrived_at === null ? null : undefined
  },
})

export const saveBeforePhotos = (bookingId: string): Action<{ photos: string[] }> => ({
  ...refresh,
  run: ({ photos }) => change(bookingId, { before_photos: photos }),
})

export const reportNoShow = (
  bookingId: string,
  reportedBy: string,
): Action<{ words: string; photos: string[] }> => ({
  ...refresh,
  run: async ({ words, photos }) => {
    await supabase
      .from('no_shows')
      .insert({ booking_id: bookingId, reported_by: reportedBy, words, photos })
      .throwOnError()
  },
  found: async () => {
    const { data } = await supabase
      .from('no_shows')
      .select('id')
      .match({ booking_id: bookingId, reported_by: reportedBy, state: 'open' })
      .throwOnError()
    return data.length > 0 ? undefined : null
  },
})

type Answer = { state: 'confirmed' | 'withdrawn' } | { state: 'objected'; answer: string; photos: string[] }

export const answerNoShow = (id: string): Action<Answer> => ({
  ...refresh,
  run: async (given) => {
    await supabase
      .from('no_shows')
      .update({
        state: given.state,
        ...(given.state === 'objected' && { answer: given.answer, answer_photos: given.photos }),
      })
      .eq('id', id)
      .select('id')
      .single()
      .throwOnError()
  },
  found: async ({ state }) => {
    const { data } = await supabase.from('no_shows').select('state').eq('id', id).single().throwOnError()
    return data.state === state ? undefined : null
  },
})
