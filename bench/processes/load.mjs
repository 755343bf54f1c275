// Asks a server the same request over and over on a number of connections, each waiting for its answer before the
// next one: bytes in, bytes out, no HTTP client in between. Told `{ port, request, connections, seconds }` (request
// in base64, `head: true` when answers have no body; `perSecond` holds it back to that rate), it answers how many
// requests were answered and how fast.
import { connect } from 'node:net'

process.on('message', async (order) => {
  if (order === 'usage') return
  try {
    process.send({ answer: await run(order) })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.send({ ready: true })

const END = Buffer.from('\r\n\r\n')

async function run({ port, request, connections, seconds, head, perSecond = Number.POSITIVE_INFINITY }) {
  const bytes = Buffer.from(request, 'base64')
  const until = performance.now() + seconds * 1000
  const times = []
  const pause = (connections / perSecond) * 1000
  const failures = new Map()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      ask({ port, bytes, until, head, times, failures, pause, begin: (pause * index) / connections }),
    ),
  )
  const elapsed = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0
  return {
    requests: times.length,
    perSecond: times.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    failures: [...failures].map(([status, count]) => `${count} × ${status}`),
  }
}

function ask({ port, bytes, until, head, times, failures, pause, begin }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sent = 0
    let missing = 0
    let early = null
    let due = performance.now() + begin
    const send = () => {
      if (performance.now() >= until) return socket.end(resolve)
      sent = performance.now()
      socket.write(bytes)
    }
    const answered = () => {
      times.push(performance.now() - sent)
      next()
    }
    // At a given rate each request has its time; timers are a millisecond late at best, so what is late catches up.
    const next = () => {
      const wait = due - performance.now()
      due += pause
      if (wait > 1) setTimeout(send, wait)
      else send()
    }
    socket.on('connect', next)
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length
        if (missing === 0) answered()
        return
      }
      const data = early ? Buffer.concat([early, chunk]) : chunk
      const end = data.indexOf(END)
      if (end < 0) {
        early = data
        return
      }
      const headers = data.latin1Slice(0, end)
      const status = headers.slice(9, 12)
      if (status[0] !== '2') failures.set(status, (failures.get(status) ?? 0) + 1)
      if (/\r\ntransfer-encoding: chunked/i.test(headers)) {
        early = data.subarray(-5).equals(Buffer.from('0\r\n\r\n')) ? null : data
        if (!early) answered()
        return
      }
      early = null
      const length = head ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(headers)?.[1] ?? 0)
      missing = length - (data.length - end - END.length)
      if (missing === 0) answered()
    })
    socket.on('error', reject)
    socket.on('close', resolve)
  })
}
