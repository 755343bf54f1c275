// More handles for the sockets on which a server listens. In one turn of its event loop Node takes one connection for each
// handle (libuv since 1.45), so that of thousands that come at once each waits for as many turns, all of them as long as
// what else is to be done in one. With 32 handles they wait for a 32nd of that.
import { type SendHandle, spawn } from 'node:child_process'
import type { Server } from 'node:http'
import { createServer, type Server as NetServer } from 'node:net'
import type pino from 'pino'
import { BACKLOG } from './listen.ts'

/** Handles of a listening socket beside its server's own. */
const MORE_HANDLES = 31
/** Milliseconds in which the other process has sent them. */
const TIMEOUT_MS = 10_000

/**
 * Node copies handles only on their way from one process to another: this one, ended at once, sends back what it gets. It
 * gets the bare handle, on which it does not listen, so that it takes no connection itself.
 */
const SEND_BACK = `process.on('message', (count, handle) => {
  for (let n = 0; n < count; n++) process.send('handle', handle)
})`

/** Opens more handles for each of the servers, which listen all the same where that fails. */
export async function openMoreHandles(servers: Server[], log: pino.Logger): Promise<NetServer[]> {
  try {
    return (await Promise.all(servers.map((server) => openHandles(server, BACKLOG)))).flat()
  } catch (error) {
    log.warn({ err: error }, 'many connections that come at once are taken one by one')
    return []
  }
}

/**
 * Opens more handles for the socket of a server that listens. What connects by them is the server's, for all but the
 * count of its open connections: each is to be closed with it. Rejects when the other process does not do its part.
 */
export function openHandles(server: Server, backlog: number, count = MORE_HANDLES): Promise<NetServer[]> {
  const child = spawn(process.execPath, ['--eval', SEND_BACK], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: TIMEOUT_MS,
    env: {},
  })
  const opened: NetServer[] = []
  return new Promise((resolve, reject) => {
    child.on('message', (_message, handle) => {
      // As http.Server takes connections; the backlog is the socket's, and set by whoever listens last.
      const taking = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        server.emit('connection', socket),
      )
      opened.push(taking.listen(handle, backlog))
      if (opened.length === count) child.disconnect()
    })
    child.on('error', reject)
    child.once('exit', (code, signal) => {
      if (opened.length === count) resolve(opened)
      for (const taking of opened) if (opened.length < count) taking.close()
      reject(new Error(`${opened.length} of ${count} handles came before its end (${signal ?? code})`))
    })
    const { _handle: handle } = server as unknown as { _handle: SendHandle }
    child.send(count, handle, (error) => error && reject(error))
  })
}
