// Does the work that only time triggers: reminders, release after 7 days, and the end of reviews, bookings, tasks and
// data exports whose time is over. It also removes files that nothing shows any more, and files of content that an
// admin has hidden. Called by the effects that the database queues for those moments; may run at any time, any number
// of times.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { type MovedFile, moveFiles, removeFiles, type StoredFile } from '../_shared/files.ts'
import { settleIntent } from '../_shared/intents.ts'
import { callAsService, type Environment } from '../_shared/supabase.ts'

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
    await moveFiles(env, () => callAsService<MovedFile[]>(env, 'files_to_move', {})).catch((error) =>
      failures.push(error),
    )
    for (const list of ['old_export_files', 'files_to_remove']) {
      const files = () => callAsService<StoredFile[]>(env, list, {})
      await removeFiles(env, files).catch((error) => failures.push(error))
    }
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
