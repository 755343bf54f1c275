// Times in which a tasker is free, from the hours that they show. Nothing for taskers who show none.
import { queryOptions } from '@tanstack/react-query'
import { clock } from '../../../marketplace.config.ts'
import { differsOnDevice } from '../format.ts'
import { supabase } from '../supabase.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** From `starts_at` to `ends_at` the tasker can work without a break. `time_zone` is the clock of their hours. */
export type FreeSlot = { starts_at: string; ends_at: string; time_zone: string }

/** Free times of at least so many minutes on the next so many days, at most 31. */
export const freeSlotsQuery = (tasker: string, minutes: number, days: number) =>
  queryOptions({
    queryKey: ['freeSlots', tasker, minutes, days],
    queryFn: async ({ signal }): Promise<FreeSlot[]> => {
      const { data } = await supabase
        .rpc('free_slots', { tasker, duration_minutes: minutes, days })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** Moments at which a task of so many minutes can begin: the start of each free time, and then every full hour. */
export function startsIn(slots: readonly FreeSlot[], minutes: number): Date[] {
  return slots.flatMap(({ starts_at, ends_at }) => {
    const first = Date.parse(starts_at)
    const last = Date.parse(ends_at) - minutes * MINUTE_MS
    const starts = [first]
    for (let at = Math.floor(first / HOUR_MS + 1) * HOUR_MS; at <= last; at += HOUR_MS) starts.push(at)
    return starts.map((at) => new Date(at))
  })
}

/** Whether a task can begin then within the free times. */
export const isFree = (slots: readonly FreeSlot[], at: string, minutes: number) =>
  slots.some(
    ({ starts_at, ends_at }) =>
      Date.parse(starts_at) <= Date.parse(at) && Date.parse(at) + minutes * MINUTE_MS <= Date.parse(ends_at),
  )

/**
 * Whether the tasker's clock is not the one by which a screen shows these times, or the device's shows another time. The
 * tasker's is compared by name: a browser may know of newer rules for daylight saving than the database.
 */
export function clocksDiffer(slots: readonly FreeSlot[], shown: string = clock.timeZone): boolean {
  return slots.some(({ starts_at: at, time_zone: zone }) => zone !== shown || differsOnDevice(at, shown))
}
