// Hosts of functions without a server around them, on a throwaway project, for what concerns Deno's processes alone.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll } from 'vitest'
import type { DenoOptions } from '../../src/functions/deno/host.ts'
import { createFunctions, type Functions } from '../../src/functions/functions.ts'
import { bodies, serveTables } from '../support/tables.ts'

/** The project of the file's tests. Deno reads nothing below /dev, where temporary folders may be. */
export const root = mkdtempSync(path.join('/tmp', 'meadowlark-deno-'))
let written = 0
const lines: Record<string, unknown>[] = []
/** All that `host` made, in order. */
export const hosts: Functions[] = []
const servers: Promise<{ url: string; stop(): Promise<void> }>[] = []
beforeAll(() => {
  mkdirSync(path.join(root, 'secret'))
  writeFileSync(path.join(root, 'secret/keys.json'), '{}')
})
afterAll(async () => {
  await Promise.all([...hosts, ...servers].map(async (one) => (await one).stop()))
  rmSync(root, { recursive: true, force: true })
})

/** Writes a file below functions/, a second younger than the one before: whoever looks at its time sees the change. */
export function write(file: string, content: string) {
  const full = path.join(root, 'functions', file)
  mkdirSync(path.dirname(full), { recursive: true })
  writeFileSync(full, content)
  const time = Date.now() / 1000 + ++written
  utimesSync(full, time, time)
}

type Options = { reload?: boolean; timeout?: number; deno?: Partial<DenoOptions> }

/** A separate host on that project; the result calls a function. */
export function host({ reload = false, timeout, deno }: Options = {}) {
  const made = createFunctions({
    project: root,
    buildDir: path.join(root, `.built-${hosts.length}`),
    settings: () => ({ enabled: true, verify_jwt: false, static_files: [] }),
    environment: () => ({ SUPABASE_URL: 'http://127.0.0.1:1' }),
    here: () => ({ origin: 'http://127.0.0.1:1', apiPort: 54321, production: false }),
    acceptsToken: async () => true,
    bodies,
    reload,
    deno: {
      always: false,
      path: null,
      searchPath: '',
      cacheDir: null,
      network: {},
      closed: [path.join(root, 'secret')],
      ...deno,
    },
    log: pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) }),
    ...(timeout ? { timeout } : {}),
  })
  hosts.push(made)
  const server = serveTables([made.service]).then(({ url, close }) => ({ url, stop: close }))
  servers.push(server)
  return async (name: string, init?: RequestInit) => {
    const response = await fetch(`${(await server).url}/functions/v1/${name}`, init)
    return {
      status: response.status,
      code: response.headers.get('sb-error-code'),
      text: await response.text(),
    }
  }
}

/** The log records of a function: levels and messages. */
export const said = (name: string) =>
  lines.filter((line) => line.function === name).map(({ level, msg }) => `${level} ${msg}`)
