// Sockets that are open and say nothing but their heartbeats. `{ open }` opens so many more and joins each to a
// separate channel where `topic` is given; bare TCP, so that this process needs little memory itself.
import { connect } from 'node:net'

const sockets = []

function text(message) {
  const data = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length, 0, 0, 0, 0]), data])
}

function openOne({ port, path, topic }, number) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      heard = (heard + chunk.toString('latin1')).slice(-300)
      if (!topic && heard.includes(' 101 ')) resolve(socket)
      else if (heard.includes('"status":"ok"')) resolve(socket)
      else if (heard.includes('"status":"error"') || heard.includes('HTTP/1.1 4')) reject(new Error(heard))
    })
    socket.on('close', () => reject(new Error(`a socket was closed: ${heard}`)))
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    if (topic) socket.write(text(['1', '1', `realtime:${topic}-${number % 100}`, 'phx_join', {}]))
  }).then((socket) => {
    socket.removeAllListeners('data').removeAllListeners('close').resume()
    sockets.push(socket)
  })
}

async function open({ count, ...options }) {
  let next = 0
  const client = async () => {
    while (next < count) await openOne(options, next++)
  }
  await Promise.all(Array.from({ length: 50 }, client))
}

setInterval(() => {
  for (const socket of sockets) socket.write(text([null, '9', 'phoenix', 'heartbeat', {}]))
}, 25_000)

process.on('message', async (message) => {
  try {
    if (message.open) await open(message.open)
    if (message.close) for (const socket of sockets.splice(0)) socket.destroy()
    if (message.open || message.close) process.send({ answer: sockets.length })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.send({ ready: true })
