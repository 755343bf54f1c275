// WebSockets to functions (https://supabase.com/docs/guides/functions/websockets): once the caller is let in and the
// function's process has agreed, the bytes of the connection go there as they are.
import { request as httpRequest, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeFrame, followFrames } from './frames.ts'

/** A function's process, held until `release`: it is not idle meanwhile. */
export type Held = { socket: string; release: () => void }

export type Joining = {
  /** The address as the function sees it. */
  path: string
  held: Held
  /** Milliseconds in which the function has to agree or refuse. */
  timeoutMs: number
}

export type Joined = {
  /** Closes it as the protocol wants, once the frame that is under way is whole. Resolves when it is closed. */
  leave(): Promise<void>
}

/** Service Restart, of the registry of close codes at IANA: a client may come back at once. */
const SERVICE_RESTART = 1012
/** Milliseconds that a client has to agree to the end. */
const CLOSE_TIMEOUT_MS = 1000

/** Writes an answer where a WebSocket was asked for, and ends the connection. */
export async function refuseUpgrade(stream: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = [...answer.headers].flat()
  stream.end(Buffer.concat([head(answer.status, [...headers, 'content-length', `${body.length}`]), body]))
}

/**
 * Asks the function for a WebSocket and joins the two connections; they end together. An ordinary answer of the
 * function is passed on, and any further input of the caller is dropped.
 */
export function joinUpgrade(
  request: IncomingMessage,
  stream: Duplex,
  first: Buffer,
  { path, held, timeoutMs }: Joining,
): Joined {
  let sendClose: (() => void) | undefined
  const sent = httpRequest({ socketPath: held.socket, path, headers: request.rawHeaders, agent: false })
  const timer = setTimeout(() => sent.destroy(new Error('no answer')), timeoutMs)
  sent.once('upgrade', (answer: IncomingMessage, inner: Duplex, rest: Buffer) => {
    clearTimeout(timer)
    stream.write(head(101, answer.rawHeaders))
    stream.write(rest)
    inner.write(first)
    const frames = followFrames()
    frames.push(rest)
    let leaving = false
    const leaveBetweenFrames = () => {
      if (!leaving || !frames.between()) return
      inner.unpipe(stream)
      inner.off('data', follow).resume()
      stream.end(closeFrame(SERVICE_RESTART, 'Service restart'))
    }
    const follow = (chunk: Buffer) => {
      frames.push(chunk)
      leaveBetweenFrames()
    }
    stream.pipe(inner)
    inner.pipe(stream)
    // After the pipe, which has passed the chunk on by then.
    inner.on('data', follow)
    sendClose = () => {
      leaving = true
      leaveBetweenFrames()
    }
    inner.on('error', () => stream.destroy())
    inner.once('close', () => stream.destroy())
    stream.once('close', () => inner.destroy())
  })
  sent.once('response', (answer) => {
    clearTimeout(timer)
    stream.write(head(answer.statusCode ?? 500, answer.rawHeaders))
    answer.on('error', () => stream.destroy())
    answer.pipe(stream)
  })
  sent.once('error', () => stream.destroy())
  stream.once('close', () => {
    clearTimeout(timer)
    sent.destroy()
    held.release()
  })
  sent.end()
  return {
    leave: () =>
      new Promise((resolve) => {
        if (stream.destroyed) return resolve()
        const timer = setTimeout(() => stream.destroy(), CLOSE_TIMEOUT_MS)
        stream.once('close', () => {
          clearTimeout(timer)
          resolve()
        })
        if (sendClose) sendClose()
        else stream.destroy()
      }),
  }
}

/** The head of an answer; `headers` are names and values in turn. Only a joined connection stays open after it. */
function head(status: number, headers: string[]): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`]
  for (let at = 0; at < headers.length; at += 2) {
    if (status === 101 || !/^(connection|keep-alive|transfer-encoding)$/i.test(headers[at] as string)) {
      lines.push(`${headers[at]}: ${headers[at + 1]}`)
    }
  }
  if (status !== 101) lines.push('connection: close')
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
