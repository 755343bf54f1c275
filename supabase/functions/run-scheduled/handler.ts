// Does what time alone brings about: reminders, release after 7 days, reviews whose time is over, bookings and tasks
// that expired, data exports whose time is over. Called by the effects that the database queues for those moments; may run at
// any time, any number of times.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { settleIntent } from '../_shared/intents.ts'
import { callAsService, type Environment, storageAsService } from '../_shared/supabase.ts'

/** Far more than is ever due at once; what is left waits for the next call. */
const MAX_DONE = 10_000

type Intent = { payment_id: string; payment_intent_id: string }

export default endpoint(
  {
    caller: 'secret',
    body: jsonBody(z.object({})),
    failure: 'Not everything that is due could be done',
  },
  async ({ env }) => {
    let done = await runScheduled(env)
    const overdue = await callAsService<Intent[]>(env, 'overdue_intents', {})
    const failures: unknown[] = []
    for (const { payment_id, payment_intent_id } of overdue) {
      await settleIntent(env, payment_id, payment_intent_id).catch((error) => failures.push(error))
    }
    if (overdue.length > failures.length) done += await runScheduled(env)
    await removeExports(env).catch((error) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'not all that is due could be done')
    return { done }
  },
)

/** Until nothing is due; answers how much was done. */
async function runScheduled(env: Environment): Promise<number> {
  let done = 0
  while (done < MAX_DONE) {
    const now = await callAsService<number>(env, 'run_scheduled', {})
    if (now === 0) break
    done += now
  }
  return done
}

/** By the storage service, so that the bytes go with the rows. */
async function removeExports(env: Environment): Promise<void> {
  const storage = storageAsService(env)
  for (;;) {
    const files = await callAsService<{ name: string }[]>(env, 'old_export_files', {})
    if (files.length === 0) return
    const { data, error } = await storage.from('data-exports').remove(files.map(({ name }) => name))
    if (error) throw error
    if (data.length === 0) throw new Error(`none of ${files.length} old exports was removed`)
  }
}
