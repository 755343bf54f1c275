// When connections to the database are lost: a clear answer meanwhile, and everything works again after.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const read = () => world.api.from('clients').select('id').eq('id', 1)

test('requests that run when their connection is cut are answered with 503, later ones with data', async () => {
  const slow = Array.from({ length: 5 }, () => world.api.rpc('slow', { seconds: 2 }).then((answer) => answer))
  await new Promise((resolve) => setTimeout(resolve, 300))
  await cutConnections()
  for (const { status, error } of await Promise.all(slow)) {
    expect([status, error?.code]).toEqual([503, '57P01'])
  }
  await expect.poll(async () => (await read()).data, { timeout: 5000 }).toEqual([{ id: 1 }])
})

test('changes of the schema made while nobody listened are found after', async () => {
  await cutConnections()
  await world.sql('create table api.made_meanwhile (id int); grant select on api.made_meanwhile to anon')
  await expect
    .poll(async () => (await world.api.from('made_meanwhile').select()).data, { timeout: 8000 })
    .toEqual([])
})

/** Ends all of the Data API's connections, the listening one too. */
async function cutConnections(): Promise<void> {
  await world.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'meadowlark-rest%'`,
  )
}
