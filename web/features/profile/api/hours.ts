// A tasker's working hours, days that differ, and the clocks to choose from.
import { queryOptions } from '@tanstack/react-query'
import { clock } from '../../../../marketplace.config.ts'
import { localFromInstant } from '../../../lib/format.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { HoursForm, Schedule } from '../hours.ts'

const hoursKey = (userId: string) => ['hours', userId] as const

/** As inputs of times have it: the midnight at the end of a day is 00:00. */
const timeOf = (time: string) => (time.startsWith('24:') ? '00:00' : time.slice(0, 5))

/** The person's hours as the form has them; null if they have not saved any. */
export const hoursQuery = (userId: string) =>
  queryOptions({
    queryKey: [...hoursKey(userId), 'week'],
    queryFn: async ({ signal }): Promise<HoursForm | null> => {
      const settings = supabase
        .from('schedule_settings')
        .select('time_zone,buffer_minutes,closed_on_holidays,shows_slots')
        .eq('user_id', userId)
      const hours = supabase
        .from('working_hours')
        .select('weekday,starts,ends')
        .eq('user_id', userId)
        .order('weekday')
        .order('starts')
      const [saved, week] = await Promise.all([
        settings.abortSignal(signal).maybeSingle().throwOnError(),
        hours.abortSignal(signal).throwOnError(),
      ])
      return (
        saved.data && {
          ...saved.data,
          buffer_minutes: String(saved.data.buffer_minutes),
          hours: week.data.map((each) => ({ ...each, starts: timeOf(each.starts), ends: timeOf(each.ends) })),
        }
      )
    },
  })

/** `starts` and `ends` are null for a day off. */
export type OtherDay = { day: string; starts: string | null; ends: string | null }

/** Days that differ, from today on by the clock of the hours. */
export const otherDaysQuery = (userId: string, timeZone: string) =>
  queryOptions({
    queryKey: [...hoursKey(userId), 'days', timeZone],
    queryFn: async ({ signal }): Promise<OtherDay[]> => {
      const { data } = await supabase
        .from('hours_exceptions')
        .select('day,starts,ends')
        .eq('user_id', userId)
        .gte('day', localFromInstant(new Date(), timeZone).slice(0, 10))
        .order('day')
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ day, starts, ends }) => ({
        day,
        starts: starts && timeOf(starts),
        ends: ends && timeOf(ends),
      }))
    },
  })

/** The clocks of the marketplace's places, with an example of each, and that of the place that the profile names. */
export const clocksQuery = (city: string | null) =>
  queryOptions({
    queryKey: ['clocks', city],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const [others, home] = await Promise.all([
        supabase
          .from('places')
          .select('name,time_zone')
          .neq('time_zone', clock.timeZone)
          .order('population', { ascending: false })
          .abortSignal(signal)
          .throwOnError(),
        supabase
          .rpc('find_place', { location: city ?? '' })
          .select('time_zone')
          .abortSignal(signal)
          .maybeSingle()
          .throwOnError(),
      ])
      const zones = [...new Set(others.data.map(({ time_zone }) => time_zone))]
      return {
        clocks: [
          { timeZone: clock.timeZone, example: null },
          ...zones.map((timeZone) => ({
            timeZone,
            example: others.data.find(({ time_zone }) => time_zone === timeZone)?.name ?? null,
          })),
        ],
        home: home.data?.time_zone ?? clock.timeZone,
      }
    },
  })

const invalidates = (userId: string) => [hoursKey(userId), ['freeSlots', userId], ['taskers']]

export const saveHours = (userId: string): Action<Schedule> => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async (schedule) => {
    await supabase.rpc('save_hours', schedule).throwOnError()
  },
})

export const removeHours = (userId: string): Action => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.rpc('remove_hours').throwOnError()
  },
})

/** Adds the day, or changes it if the person has it already. */
export const saveOtherDay = (userId: string): Action<OtherDay> => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async (day) => {
    await supabase
      .from('hours_exceptions')
      .upsert({ user_id: userId, ...day })
      .throwOnError()
  },
})

export const removeOtherDay = (userId: string): Action<string> => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async (day) => {
    await supabase.from('hours_exceptions').delete().eq('user_id', userId).eq('day', day).throwOnError()
  },
})
