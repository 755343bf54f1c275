// Clients of an auth service. Told `{ port, key, password, act }`: `sign-in` answers how many milliseconds one took.
// `refresh` and `user` also take `connections` and `seconds`. Each connection continues in its own session as soon as
// it is answered, and the result is the number of requests a second.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
/** The sessions by port; each connection has the one of its number. */
const sessions = new Map()

function ask({ port, key }, method, path, { body, token = key } = {}) {
  return new Promise((resolve, reject) => {
    const sent = body && JSON.stringify(body)
    const asked = request({
      port,
      host: '127.0.0.1',
      agent,
      method,
      path: `/auth/v1${path}`,
      headers: {
        ...(key && { apikey: key }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      },
    })
    asked.on('response', (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode === 200) resolve(JSON.parse(text))
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`.slice(0, 300)))
      })
    })
    asked.on('error', reject)
    asked.end(sent)
  })
}

const signIn = (order, n) =>
  ask(order, 'POST', '/token?grant_type=password', {
    body: { email: `grace+${n + 1}@example.com`, password: order.password },
  })

const acts = {
  refresh: async (order, session) =>
    Object.assign(
      session,
      await ask(order, 'POST', '/token?grant_type=refresh_token', {
        body: { refresh_token: session.refresh_token },
      }),
    ),
  user: (order, session) => ask(order, 'GET', '/user', { token: session.access_token }),
}

async function run(order) {
  if (order.act === 'sign-in') {
    const began = performance.now()
    await signIn(order, 0)
    return { took: performance.now() - began }
  }
  const { port, connections, seconds } = order
  const numbers = Array.from({ length: connections }, (_, n) => n)
  if (!sessions.has(port)) sessions.set(port, await Promise.all(numbers.map((n) => signIn(order, n))))
  const began = performance.now()
  const until = began + seconds * 1000
  let answered = 0
  await Promise.all(
    sessions.get(port).map(async (session) => {
      while (performance.now() < until) {
        await acts[order.act](order, session)
        answered++
      }
    }),
  )
  return { perSecond: answered / ((performance.now() - began) / 1000) }
}

process.on('message', async (order) => {
  if (order === 'usage') return
  try {
    process.send({ answer: await run(order) })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.send({ ready: true })
