// Bare logical replication: writes a row and tells how many milliseconds after the commit was sent the stream told
// of it.
import pg from 'pg'
import { LogicalReplicationService, PgoutputPlugin } from 'pg-logical-replication'

const connectionString = process.env.DATABASE_URL
const writer = new pg.Client({ connectionString })
await writer.connect()

class Plugin extends PgoutputPlugin {
  async start(client, slot, lsn) {
    await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`)
    return super.start(client, slot, lsn)
  }
}
const service = new LogicalReplicationService(
  { connectionString },
  { acknowledge: { auto: false, timeoutSeconds: 10 } },
)
let heard = () => {}
service.on('data', (_, message) => {
  if (message.tag === 'insert') heard(performance.now())
})
service.on('start', () => process.send({ ready: true }))
service.on('error', (error) => console.error(error.message))
service
  .subscribe(new Plugin({ protoVersion: 1, publicationNames: ['supabase_realtime'] }), 'bench_bare')
  .catch((error) => console.error(error.message))

process.on('message', async (message) => {
  if (!message.sql) return
  const told = new Promise((resolve) => {
    heard = resolve
  })
  await writer.query(`begin; ${message.sql}`)
  const began = performance.now()
  await writer.query('commit')
  process.send({ answer: { delay: (await told) - began } })
})
