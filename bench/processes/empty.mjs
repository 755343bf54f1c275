// An empty handler: Node's own HTTP server, sending the bytes it was given to whoever asks. A message
// `{ status, headers, body }` (body in base64) says which.
import { createServer } from 'node:http'

let status = 200
let headers = {}
let body = Buffer.alloc(0)

process.on('message', (message) => {
  if (message === 'usage') return
  status = message.status
  headers = message.headers
  body = Buffer.from(message.body, 'base64')
  process.send({ answer: true })
})

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(status, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send({ ready: { port: server.address().port } }))
