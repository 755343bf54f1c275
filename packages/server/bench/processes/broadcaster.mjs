// The bare peer of realtime: a `ws` server that sends what it was given to all sockets, at any word of one of them.
import { WebSocketServer } from 'ws'

let frame = ''
process.on('message', (message) => {
  if (message === 'usage') return
  frame = message.frame
  process.send({ answer: true })
})

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false }, () =>
  process.send({ ready: { port: server.address().port } }),
)
server.on('connection', (socket) => {
  socket.on('message', () => {
    for (const client of server.clients) client.send(frame)
  })
})
