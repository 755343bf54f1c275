// Sends the pushes that wait. Called by the effect that each event queues; may run at any time, several at once, any number of
// times: the database hands out every push once until it is reported on.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { callAsService } from '../_shared/supabase.ts'
import { sendPush, type WaitingPush } from './push.ts'

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
    const end = Date.now() + MAX_MILLISECONDS
    const counts = { sent: 0, gone: 0, later: 0, refused: 0 }
    while (Date.now() < end) {
      const pushes = await callAsService<WaitingPush[]>(env, 'begin_push', { max_messages: AT_ONCE })
      if (pushes.length === 0) break
      await Promise.all(
        pushes.map(async (push) => {
          const outcome = await sendPush(push, env)
          counts[outcome]++
          if (outcome === 'sent') await callAsService(env, 'finish_push', { message_id: push.id })
          else await callAsService(env, 'fail_push', { message_id: push.id, reason: outcome })
        }),
      )
    }
    return counts
  },
)
