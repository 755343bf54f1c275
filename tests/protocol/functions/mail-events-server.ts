// A server with the function mail-events, where every test begins with the same e-mails and no reports.
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { EMAIL, EMAIL_TO_GRACE, TOPIC, UNSENT_EMAIL } from './mail-reports.ts'

export const PASSWORD = 'a long password for reports'
export const SECRET = `whsec_${Buffer.from('thirty bytes to sign reports 1').toString('base64')}`
export const OLD_SECRET = `whsec_${Buffer.from('thirty bytes to sign reports 2').toString('base64')}`

let server: TestServer
export const query = async (sql: string, values: unknown[] = []) =>
  (await server.database.pool.query(sql, values)).rows
export const functionUrl = () => `${server.url}/functions/v1/mail-events`

/** Starts the server before the file's first test, and stops it after the last. */
export function serveMailEvents(): void {
  beforeAll(async () => {
    server = await startTestServer({
      env: {
        MAIL_EVENTS_PASSWORD: PASSWORD,
        MAIL_EVENTS_SIGNING_SECRET: `${SECRET}, ${OLD_SECRET}`,
        MAIL_EVENTS_TOPIC_ARN: TOPIC,
      },
    })
    await signedIn(server, 'theo')
    await signedIn(server, 'grace')
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await query('delete from private.mail_events')
    await query('delete from private.suppressed_addresses')
    await query('delete from private.emails')
    await query(
      `insert into private.emails (id, person_id, status)
       select v.id::uuid, u.id, v.status::private.email_status
       from (values ($1, 'sent', 'theo@example.com'), ($2, 'sent', 'grace@example.com'), ($3, 'waiting', 'theo@example.com'))
         v (id, status, email) join auth.users u on u.email = v.email`,
      [EMAIL, EMAIL_TO_GRACE, UNSENT_EMAIL],
    )
  })
}

export async function post(body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(functionUrl(), { method: 'POST', body, headers })
  return { status: answer.status, body: await answer.json() }
}
export const basic = (password = PASSWORD) => ({
  authorization: `Basic ${Buffer.from(`mail:${password}`).toString('base64')}`,
})
export const suppressed = () => query('select address, reason from private.suppressed_addresses')
export const emailStatus = async () =>
  (await query('select status from private.emails where id = $1', [EMAIL]))[0].status
export const events = () => query('select type, cause from private.mail_events order by reported_at')
