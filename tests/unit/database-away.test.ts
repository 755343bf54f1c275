// A function whose database is away answers 503 and when to try again, in words that the app translates.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { callAsUser } from '../../supabase/functions/_shared/supabase.ts'

test('a database that is away is 503 with a time to try again', async () => {
  const away = createServer((_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' })
    response.end('{"code":"PGRST000","message":"Database connection error. Retrying the connection."}')
  })
  await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
  // Node 20 has no built-in WebSocket.
  vi.stubGlobal('WebSocket', WebSocket)
  onTestFinished(() => {
    vi.unstubAllGlobals()
    away.close()
  })
  const env = {
    SUPABASE_URL: `http://127.0.0.1:${(away.address() as AddressInfo).port}`,
    SUPABASE_ANON_KEY: 'key',
  }
  const request = new Request('http://localhost', { headers: { authorization: 'Bearer token' } })
  await expect(callAsUser(request, env, 'prepare_payment', {})).rejects.toMatchObject({
    status: 503,
    retryAfter: 1,
    coded: { code: 'service.database_unavailable' },
  })
})
