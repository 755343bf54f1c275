// Sends or fetches one body and tells how long it took, in milliseconds from the first byte sent to the last one
// received: `{ port, method, path, headers, bytes }`; `bytes` are sent when it is a PUT or a POST.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const block = Buffer.alloc(1024 * 1024, 'hay ')

process.on('message', async (order) => {
  if (order === 'usage') return
  try {
    process.send({ answer: await transfer(order) })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.send({ ready: true })

function transfer({ port, method, path, headers, bytes }) {
  return new Promise((resolve, reject) => {
    const sending = method !== 'GET'
    const began = performance.now()
    const length = sending ? { 'content-length': bytes } : {}
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: { ...headers, ...length },
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let received = 0
      let text = ''
      response.on('data', (chunk) => {
        received += chunk.length
        if (response.statusCode >= 300) text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`${response.statusCode} ${text}`))
        else resolve({ milliseconds: performance.now() - began, received })
      })
    })
    let left = sending ? bytes : 0
    const send = () => {
      while (left > 0) {
        const chunk = left < block.length ? block.subarray(0, left) : block
        left -= chunk.length
        if (!asked.write(chunk) && left > 0) {
          asked.once('drain', send)
          return
        }
      }
      asked.end()
    }
    send()
  })
}
