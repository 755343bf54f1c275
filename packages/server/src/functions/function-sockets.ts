// WebSockets of functions: joins each with the function's process, and ends all of them when the server stops.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { DenoHost } from './deno/host.ts'
import type { FunctionDirectory } from './directory.ts'
import { bootError, relayError, stopping } from './errors.ts'
import { headersOf } from './function-request.ts'
import { type Joined, joinUpgrade, refuseUpgrade } from './websocket.ts'

export type FunctionSocketsOptions = {
  directory: FunctionDirectory
  deno: DenoHost
  /** A function must send something within this many milliseconds. */
  timeoutMs: number
  onBootError: (name: string, error: Error) => void
}

export class FunctionSockets {
  private readonly options: FunctionSocketsOptions
  private readonly joined = new Set<Joined>()
  private closing = false

  constructor(options: FunctionSocketsOptions) {
    this.options = options
  }

  /** Takes over a request for a WebSocket below /functions/v1, or answers why not. */
  async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy())
    const path = (request.url ?? '').replace(/^\/functions\/v1/, '')
    const name = decodeName(path.split(/[/?]/)[1] ?? '')
    const { directory, deno, timeoutMs, onBootError } = this.options
    try {
      if (this.closing) return refuseUpgrade(stream, stopping())
      const refused = await directory.guard(name, 'GET', headersOf(request))
      const source = refused ?? (await directory.runnable(name))
      if (source instanceof Response) return refuseUpgrade(stream, source)
      if (source.kind !== 'deno') return refuseUpgrade(stream, noWebSocket(name))
      const held = await deno.hold(source)
      const join = joinUpgrade(request, stream, head, { path, held, timeoutMs })
      this.joined.add(join)
      stream.once('close', () => this.joined.delete(join))
      // The server began to stop while the process started.
      if (this.closing) await join.leave()
    } catch (error) {
      onBootError(name, error as Error)
      await refuseUpgrade(stream, bootError())
    }
  }

  /** Says goodbye to every WebSocket, and lets no other in; resolves once they are closed. */
  async close(): Promise<void> {
    this.closing = true
    await Promise.all([...this.joined].map((join) => join.leave()))
  }
}

function noWebSocket(name: string): Response {
  return relayError(501, 'NO_WEBSOCKET', `'${name}' runs without Deno and takes no WebSocket`)
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
