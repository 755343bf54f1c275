// Behaviour of the host alone: a deadline in milliseconds, and sources that change while it runs.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFunctions } from '../../src/functions/functions.ts'
import { bodies, type ServedTables, serveTables } from '../support/tables.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'meadowlark-functions-'))
})
const servers: ServedTables[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()))
  rmSync(directory, { recursive: true, force: true })
})

let clock = 1_700_000_000
function write(file: string, content: string) {
  const full = path.join(directory, 'functions', file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, content)
  clock += 10
  utimesSync(full, clock, clock)
}

const host = (reload: boolean, timeout?: number) => serve(functions(reload, timeout))

/** The result calls a function. */
async function serve({ service }: ReturnType<typeof functions>) {
  const server = await serveTables([service])
  servers.push(server)
  return (path: string) => fetch(`${server.url}/functions/v1${path}`)
}

const functions = (reload: boolean, timeout?: number) =>
  createFunctions({
    project: directory,
    buildDir: path.join(directory, '.built'),
    settings: () => ({ enabled: true, verify_jwt: false, static_files: [] }),
    environment: () => ({}),
    here: () => ({ origin: 'http://127.0.0.1:1', apiPort: 54321, production: false }),
    acceptsToken: async () => true,
    bodies,
    reload,
    deno: { always: false, path: null, searchPath: '', cacheDir: null, network: {}, closed: [] },
    log: pino({ level: 'silent' }),
    ...(timeout ? { timeout } : {}),
  })

it('runs the new source after a change, of the handler or of a file it imports', async () => {
  write('word.ts', `export const word = 'one'`)
  write('changing/handler.ts', `import { word } from '../word.ts'; export default () => new Response(word)`)
  const call = await host(true)
  const say = async () => (await call('/changing')).text()
  expect(await say()).toBe('one')
  write('word.ts', `export const word = 'two'`)
  expect(await say()).toBe('two')
  write('changing/handler.ts', `export default (`)
  expect((await call('/changing')).status).toBe(503)
  write('changing/handler.ts', `export default () => new Response('three')`)
  expect(await say()).toBe('three')
})

it('answers 504 when the function does not', async () => {
  write('slow/handler.ts', `export default () => new Promise(() => {})`)
  const response = await (await host(false, 50))('/slow')
  expect(response.status).toBe(504)
  expect(response.headers.get('x-relay-error')).toBe('true')
  expect(await response.json()).toEqual({
    code: 'IDLE_TIMEOUT',
    message: 'Request idle timeout limit (0.05s) reached',
  })
})

it('cuts an answer off when nothing more of it comes', async () => {
  write(
    'stalls/handler.ts',
    `export default () => new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('begun')) }))`,
  )
  const response = await (await host(false, 1000))('/stalls')
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('begun')
  await expect(reader?.read()).rejects.toThrow('terminated')
})

it('waits for what handlers do in the background when it stops', async () => {
  write(
    'later/handler.ts',
    `export default () => {
       EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(() => { globalThis.finished = true; resolve() }, 200)))
       EdgeRuntime.waitUntil(Promise.reject(new Error('background trouble')))
       return new Response('answered')
     }`,
  )
  const host = functions(false)
  const call = await serve(host)
  expect(await (await call('/later')).text()).toBe('answered')
  expect('finished' in globalThis).toBe(false)
  await host.stop()
  expect('finished' in globalThis).toBe(true)
})
