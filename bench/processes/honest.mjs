// Somebody who uses the app while others mean harm: given `{ port, key, seconds }`, asks fifty times a second, on
// connections that stay open and on new ones, and answers how long that took. Ten times a second it also asks an
// address of the same server that needs no database, and a second server in this process that nobody attacks. The
// latter's delay is the machine's. It goes before the others where that is allowed: what counts is how late the
// server is, not how late its caller.
import { Agent, createServer, request } from 'node:http'
import { constants, setPriority } from 'node:os'

try {
  setPriority(constants.priority.PRIORITY_HIGH)
} catch {
  // Only the superuser may.
}

const kept = new Agent({ keepAlive: true, maxSockets: 4 })
const READ =
  '/rest/v1/tasks?select=*,giver:public_profiles!task_giver_id(full_name,rating)&status=eq.open&order=created_at.desc&limit=5'
const PAUSE = 20
const PROBE_PAUSE = 100
/** Without a session nothing may be written: the body is read, and the database refuses. */
const BODY = JSON.stringify({ title: 'Rake the leaves' })

function ask({ port, key }, number) {
  const began = performance.now()
  const writes = number % 3 === 2
  return new Promise((resolve) => {
    const done = (status) =>
      resolve({ took: performance.now() - began, status, ok: status === (writes ? 401 : 200) })
    const asked = request({
      port,
      host: '127.0.0.1',
      localAddress: '127.0.0.1',
      agent: number % 2 ? kept : false,
      method: writes ? 'POST' : 'GET',
      path: writes ? '/rest/v1/tasks' : encodeURI(READ),
      headers: {
        apikey: key,
        ...(writes && { 'content-type': 'application/json', 'content-length': BODY.length }),
      },
    })
    asked.on('response', (answer) => {
      answer.resume().once('end', () => done(answer.statusCode))
    })
    asked.on('error', (error) => done(error.code))
    asked.end(writes ? BODY : undefined)
  })
}

const unattacked = createServer((_incoming, outgoing) => outgoing.end('{}')).unref()
const unattackedPort = new Promise((resolve) =>
  unattacked.listen(0, '127.0.0.1', () => resolve(unattacked.address().port)),
)

/** Milliseconds until a new connection to `port` has its answer. */
function probe(port) {
  const began = performance.now()
  return new Promise((resolve) => {
    const done = () => resolve(performance.now() - began)
    const asked = request({ port, host: '127.0.0.1', path: '/health/live', agent: false })
    asked.on('response', (answer) => answer.resume().once('end', done))
    asked.on('error', done)
    asked.end()
  })
}

async function probes(port, until) {
  const asked = []
  while (performance.now() < until) {
    asked.push(probe(port))
    await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE))
  }
  return percentiles(await Promise.all(asked))
}

function percentiles(times) {
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.min(Math.floor(times.length * share), times.length - 1)]
  return { p50: at(0.5), p99: at(0.99) }
}

async function run(order) {
  const until = performance.now() + order.seconds * 1000
  const beside = Promise.all([probes(order.port, until), probes(await unattackedPort, until)])
  const [asked, delays] = [[], []]
  for (let number = 0; performance.now() < until; number++) {
    asked.push(ask(order, number))
    const due = performance.now() + PAUSE
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
    delays.push(performance.now() - due)
  }
  const answers = await Promise.all(asked)
  const failures = {}
  for (const { ok, status } of answers) if (!ok) failures[status] = (failures[status] ?? 0) + 1
  const [live, machine] = await beside
  return {
    requests: answers.length,
    failures,
    live,
    machine,
    own: percentiles(delays),
    ...percentiles(answers.map(({ took }) => took)),
  }
}

process.on('message', async (order) => {
  if (order !== 'usage') process.send({ answer: await run(order) })
})
process.send({ ready: true })
