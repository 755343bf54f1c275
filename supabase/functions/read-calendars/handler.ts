// Reads the calendars that taskers import and that are due: each hour, and when somebody asks for it. The database keeps only the
// times in which a person is busy.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { callAsService, type Environment } from '../_shared/supabase.ts'
import { busyTimes } from './busy.ts'
import { download, INTERNET, type Network } from './download.ts'
import { ReadFailure } from './failure.ts'

type Due = { id: string; address: string; etag: string | null; time_zone: string }

const AT_ONCE = 10
/** With the last downloads' time less than the minute that run-effects waits. */
const MAX_MS = 30_000

/** The function with that way into the internet. */
export const readerOver = (network: Network) =>
  endpoint(
    { caller: 'secret', body: jsonBody(z.object({})), failure: 'The calendars could not be read' },
    async ({ env }) => {
      const end = Date.now() + MAX_MS
      const counts = { read: 0, failed: 0 }
      while (Date.now() < end) {
        const due = await callAsService<Due[]>(env, 'begin_calendar_reads', { max_calendars: AT_ONCE })
        if (due.length === 0) break
        for (const isRead of await Promise.all(due.map((calendar) => read(calendar, env, network))))
          counts[isRead ? 'read' : 'failed']++
      }
      return counts
    },
  )

export default readerOver(INTERNET)

/** Whether it could be read. */
async function read({ id, address, etag, time_zone }: Due, env: Environment, network: Network) {
  try {
    const downloaded = await download(address, etag, network)
    const busy = downloaded === 'unchanged' ? null : await busyTimes(downloaded.text, time_zone)
    await callAsService(env, 'finish_calendar_read', {
      calendar_id: id,
      etag: downloaded === 'unchanged' ? etag : downloaded.etag,
      busy:
        busy?.map(({ from, until }) => [new Date(from).toISOString(), new Date(until).toISOString()]) ?? null,
    })
    return true
  } catch (error) {
    if (!(error instanceof ReadFailure)) console.error('A calendar could not be read', error)
    const code = error instanceof ReadFailure ? error.code : 'not_a_calendar'
    await callAsService(env, 'fail_calendar_read', { calendar_id: id, code })
    return false
  }
}
