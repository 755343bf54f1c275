// Requests as bytes, and a process that sends them over and over.

import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { type MeasuredProcess, startProcess } from './process.ts'

export type BenchRequest = {
  method: 'GET' | 'HEAD' | 'POST'
  /** With its query string, encoded. */
  path: string
  headers: Record<string, string>
  body?: string
}

type LoadResult = {
  requests: number
  perSecond: number
  /** Milliseconds from request to answer. */
  p50: number
  p99: number
}

export type Load = (order: {
  port: number
  request: BenchRequest
  connections: number
  seconds: number
  /** Holds the requests back to this rate. */
  perSecond?: number
}) => Promise<LoadResult>

/** The headers that supabase-js sends from Node. */
export const CLIENT_HEADERS: Record<string, string> = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'x-client-info': 'supabase-js-node/2.109.0',
}

/** Starts the process that sends. Its results reject when any answer is no 2xx. */
export async function startLoad(stage: Stage): Promise<Load> {
  const sender: MeasuredProcess<true> = await startProcess(stage, 'load.mjs')
  return async ({ request, ...order }) => {
    const result = await sender.ask<LoadResult & { failures: string[]; error?: string }>({
      ...order,
      request: Buffer.from(bytesOf(request)).toString('base64'),
      head: request.method === 'HEAD',
    })
    if (result.error) throw new Error(result.error)
    if (result.failures.length > 0) throw new Error(`refused: ${result.failures.join(', ')}`)
    return result
  }
}

function bytesOf({ method, path, headers, body }: BenchRequest): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: 'localhost', connection: 'keep-alive', ...headers, ...length })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`
}

/** The request sent once through Node's own client: what its answer looks like. */
export async function sendOnce(
  port: number,
  { method, path, headers, body }: BenchRequest,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  // fetch() undoes compression and drops its header, so none is asked for.
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body }),
  })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  }
}
