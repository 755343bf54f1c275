// Many sockets that listen. `{ open }` opens a set of them, joining a channel where bindings are given. `{ round }`
// starts something (an insert, or a message to the server) and reports when the first and the last of them had a
// message. Times are milliseconds since the commit, or the message, was sent.
import pg from 'pg'
import WebSocket from 'ws'

/** By the name of their set. */
const sets = new Map()
let listening = ''
let expected = 0
let times = []
let frame = ''
let allHeard = () => {}
let writer = null

async function open({ set, url, count, tokens = [], bindings, config, database }) {
  for (const socket of sets.get(set) ?? []) socket.terminate()
  const sockets = []
  sets.set(set, sockets)
  if (database && !writer) {
    writer = new pg.Client({ connectionString: database })
    await writer.connect()
  }
  const client = async () => {
    while (sockets.length < count) {
      const socket = new WebSocket(url, { perMessageDeflate: false })
      const number = sockets.push(socket) - 1
      await new Promise((resolve, reject) => {
        socket.once('open', resolve).once('error', reject)
      })
      if (bindings || config) await join(socket, tokens[number % tokens.length], bindings, config)
      socket.on('message', (data) => {
        if (sets.get(listening) !== sockets || times.length >= expected) return
        times.push(performance.now())
        if (times.length < expected) return
        frame = String(data)
        allHeard()
      })
    }
  }
  await Promise.all(Array.from({ length: 20 }, client))
}

/** With bindings, joined means that their changes are heard. */
function join(socket, token, bindings, config) {
  return new Promise((resolve, reject) => {
    const heard = (data) => {
      const [, , , event, payload] = JSON.parse(String(data))
      if (event === 'phx_reply' && payload.status !== 'ok') reject(new Error(String(data)))
      if (event !== (bindings ? 'system' : 'phx_reply')) return
      socket.off('message', heard)
      if (payload.status === 'ok') resolve()
      else reject(new Error(payload.message))
    }
    socket.on('message', heard)
    const payload = { config: { ...config, postgres_changes: bindings }, access_token: token }
    socket.send(JSON.stringify(['1', '1', 'realtime:bench', 'phx_join', payload]))
  })
}

async function round({ set, from = set, sql, word }) {
  const sockets = sets.get(set)
  listening = set
  times = []
  expected = sockets.length
  const heard = new Promise((resolve) => {
    allHeard = resolve
  })
  if (sql) await writer.query(`begin; ${sql}`)
  const began = performance.now()
  if (sql) await writer.query('commit')
  else sets.get(from)[0].send(word)
  await heard
  return { first: times[0] - began, last: times.at(-1) - began, frame }
}

process.on('message', async (message) => {
  try {
    if (message.open) {
      await open(message.open)
      process.send({ answer: true })
    }
    if (message.round) process.send({ answer: await round(message.round) })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.send({ ready: true })
