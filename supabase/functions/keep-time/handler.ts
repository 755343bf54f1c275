// Does what time alone brings about: reminders, release by silence, reviews whose time is over, bookings and tasks
// that expired. Called by the jobs that the database queues for those moments; may run at any time, any number of times.
import { z } from 'zod'
import { endpoint } from '../_shared/endpoint.ts'
import { callAsService } from '../_shared/supabase.ts'

/** Far more than is ever due at once; what is left waits for the next call. */
const most = 10_000

export default endpoint(
  { caller: 'secret', body: z.object({}), failure: 'Not everything that is due could be done' },
  async ({ env }) => {
    let done = 0
    while (done < most) {
      const now = await callAsService<number>(env, 'keep_time', {})
      if (now === 0) break
      done += now
    }
    return { done }
  },
)
