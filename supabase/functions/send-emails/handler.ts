// Sends the e-mails that wait. Called by the effect that each event queues; may run at any time, several at once, any number of
// times: the database hands out every e-mail once until it is reported on.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { HttpError } from '../_shared/respond.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'
import { compose } from './compose.ts'
import type { WaitingEmail } from './email.ts'
import { CONNECTIONS, mailServer } from './smtp.ts'
import { unsubscribeHeaders } from './unsubscribing.ts'

/** Less than the time that an effect waits for an answer; what is left is another call's. */
const MAX_MILLISECONDS = 30_000

export default endpoint(
  {
    caller: 'secret',
    body: jsonBody(z.object({})),
    failure: 'Not every e-mail could be sent',
  },
  async ({ env }) => {
    const server = mailServer(env)
    const end = Date.now() + MAX_MILLISECONDS
    const counts = { sent: 0, later: 0, refused: 0 }
    try {
      while (Date.now() < end) {
        const emails = await callAsService<WaitingEmail[]>(env, 'begin_emails', { max_emails: CONNECTIONS })
        if (emails.length === 0) return counts
        const outcomes = await Promise.all(emails.map((email) => sendOne(env, server, email)))
        for (const outcome of outcomes) {
          // Thrown, so that the effect is tried again with growing pauses; the e-mails wait unharmed.
          if (outcome === 'server') throw new HttpError(503, 'The mail server cannot be reached')
          counts[outcome]++
        }
      }
    } finally {
      server.close()
    }
    await callAsService(env, 'schedule_emails', {})
    return counts
  },
)

async function sendOne(env: Environment, server: ReturnType<typeof mailServer>, email: WaitingEmail) {
  const headers = unsubscribeHeaders(email, env)
  const composed = compose(email, required(env, 'SITE_URL'))
  const { outcome, message } = await server.send({ ...composed, id: email.id, to: email.to, headers })
  if (outcome === 'sent') {
    await callAsService(env, 'finish_email', { email_id: email.id })
  } else {
    console.warn(`e-mail ${email.id}: ${outcome}: ${message}`)
    await callAsService(env, 'fail_email', { email_id: email.id, reason: outcome, message })
  }
  return outcome
}
