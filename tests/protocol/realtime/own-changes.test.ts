// Row changes of the marketplace's tables under its policies.

import { expect, test } from 'vitest'
import { listen } from '../../../packages/server/tests/realtime/changes-fixture.ts'
import { leave, serverFor } from '../../../packages/server/tests/realtime/fixture.ts'
import { makeAccount, signedIn } from '../../support/people.ts'
import { startTestServer } from '../../support/server.ts'

const { server } = serverFor('', {}, startTestServer)

test("people receive changes of their part of the marketplace, and strangers don't", async () => {
  const clients = [await signedIn(server, 'grace'), await signedIn(server, 'sam')] as const
  const [grace, sam] = [
    await listen(clients[0], { table: 'notifications' }),
    await listen(clients[1], { table: 'notifications' }),
  ]
  for (const name of ['grace', 'sam'] as const) {
    await server.database.pool.query(
      `insert into notifications (user_id, key, title, message) values ($1, 'greeting', 'Hello', $2)`,
      [await makeAccount(server, name), name],
    )
  }
  await Promise.all([grace.until(1), sam.until(1)])
  expect(grace.events.map(({ new: row }) => row.message)).toEqual(['grace'])
  expect(sam.events.map(({ new: row }) => row.message)).toEqual(['sam'])
  leave([...clients])
})
