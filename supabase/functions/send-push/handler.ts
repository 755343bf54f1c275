// Sends the pushes that wait. Called by the effect that each event queues; may run at any time, several at once, any number of
// times: the database hands out every push once until it is reported on.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'
import { type Outcome, sendPush, type WaitingPush } from './push.ts'

/** Less than the time that an effect waits for an answer; what is left is the next call's. */
const MAX_MILLISECONDS = 30_000
const AT_ONCE = 20

export default endpoint(
  {
    caller: 'secret',
    body: jsonBody(z.object({})),
    failure: 'Not every push could be sent',
  },
  async ({ env }) => {
    // Fail before any push is taken if the keys are missing.
    for (const name of ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY']) required(env, name)
    const end = Date.now() + MAX_MILLISECONDS
    const counts = { sent: 0, gone: 0, later: 0, refused: 0, failed: 0 }
    while (Date.now() < end) {
      const pushes = await callAsService<WaitingPush[]>(env, 'begin_push', { max_messages: AT_ONCE })
      if (pushes.length === 0) break
      for (const outcome of await Promise.all(pushes.map((push) => deliver(push, env)))) counts[outcome]++
    }
    return counts
  },
)

/** Sends one push and reports the outcome. An error affects this push alone, which is handed out again later. */
async function deliver(push: WaitingPush, env: Environment): Promise<Outcome | 'failed'> {
  try {
    const outcome = await sendPush(push, env)
    if (outcome === 'sent') await callAsService(env, 'finish_push', { message_id: push.id })
    else await callAsService(env, 'fail_push', { message_id: push.id, reason: outcome })
    return outcome
  } catch (error) {
    console.error(`push ${push.id} could not be sent or reported`, error)
    return 'failed'
  }
}
