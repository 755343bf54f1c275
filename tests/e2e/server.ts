// The server that a worker's tests run against: `npm start` itself on a free port, with its own data directory, whose
// database is migrated already. Its embedded PostgreSQL is seeded with the demo people and ends with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import WebSocket from 'ws'
import { freePort } from '../../packages/server/tests/support/free-port.ts'
import { liftLimits } from '../support/lift-limits.ts'
import { prepareDataDir } from '../support/process.ts'

export type Person = 'grace' | 'theo' | 'ada' | 'sam'
export const PASSWORD = 'Meadowlark1'

/** An e-mail or text message of the sandbox's inbox. */
type Message = {
  kind: 'mail' | 'sms'
  to: string
  subject: string | null
  text: string
  links: string[]
  /** A one-time code, if the message holds one. */
  code: string | null
}

export type AppServer = {
  /** Origin of the app and its API. */
  url: string
  publishableKey: string
  /** The project's secret key, from which the keys of the payment stand-in are made. */
  secretKey: string
  /** A supabase-js client with nobody signed in. */
  stranger(): SupabaseClient
  /** The same with the secret key, for what operators do with `auth.admin`. */
  operator(): SupabaseClient
  /**
   * A supabase-js client with a demo person, or anyone with that address and the demo password, signed in. It is the
   * same for all who ask, so nobody signs it out.
   */
  signedIn(personOrEmail: string): Promise<SupabaseClient>
  /** Makes a confirmed account with the demo password, as sign-up and the e-mail's link do. Resolves to its address. */
  newAccount(person: 'grace' | 'theo'): Promise<`${string}@example.com`>
  /** Waits until a message to this address is in the inbox, and returns the newest. */
  messageTo(address: string): Promise<Message>
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 240_000

/**
 * Starts it; resolves once /health answers. Throws with what it printed when it does not. `environmentAt` are further
 * variables for a server with this address; `checkout` is another folder of sources.
 */
export async function startAppServer(
  environmentAt: (url: string) => Promise<Record<string, string>> = async () => ({}),
  checkout = root,
): Promise<AppServer> {
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-e2e-'))
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  await prepareDataDir(dataDir, 'meadowlark')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TZ: 'America/Regina',
      LOG_LEVEL: 'warn',
      CLI_PORTS: 'false',
      PORT: String(port),
      DATA_DIR: dataDir,
      ...(await environmentAt(url)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk
    })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(15_000).then(() => child.kill('SIGKILL'))])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitUntilHealthy(url, child)
    await liftLimits(join(dataDir, 'postgres'))
    const { supabaseKey } = await (await fetch(`${url}/config.json`)).json()
    const { secret: secretKey } = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8'))
    return { url, publishableKey: supabaseKey, secretKey, stop, ...clients(url, supabaseKey, secretKey) }
  } catch (error) {
    await stop()
    throw new Error(`npm start did not come up: ${(error as Error).message}\n${printed}`)
  }
}

async function waitUntilHealthy(url: string, child: ChildProcess) {
  const late = Date.now() + START_TIMEOUT_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`)
    if (Date.now() > late) throw new Error(`/health did not answer within ${START_TIMEOUT_MS / 1000} s`)
    const healthy = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    )
    if (healthy) return
    await sleep(100)
  }
}

function clients(
  url: string,
  publishableKey: string,
  secretKey: string,
): Omit<AppServer, 'url' | 'publishableKey' | 'secretKey' | 'stop'> {
  const withKey = (key: string) =>
    createClient(url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      // Node 20 has no built-in WebSocket.
      realtime: { transport: WebSocket as never },
    })
  const stranger = () => withKey(publishableKey)
  const messageTo = async (address: string) => {
    for (const late = Date.now() + 60_000; Date.now() < late; await sleep(100)) {
      const messages = (await (await fetch(`${url}/sandbox/inbox.json`)).json()) as Message[]
      const message = messages.find(({ to }) => to.includes(address))
      if (message) return message
    }
    throw new Error(`no message for ${address} came within a minute`)
  }
  const people = new Map<string, Promise<SupabaseClient>>()
  const signIn = async (email: string) => {
    const client = stranger()
    const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
    if (error) throw error
    return client
  }
  return {
    stranger,
    operator: () => withKey(secretKey),
    messageTo,
    async newAccount(person) {
      const email = newAddress(person)
      const role = person === 'grace' ? 'task_giver' : 'task_doer'
      const data = { full_name: person === 'grace' ? 'Grace' : 'Theo', phone: null, role }
      const { error } = await stranger().auth.signUp({ email, password: PASSWORD, options: { data } })
      if (error) throw error
      const [link = ''] = (await messageTo(email)).links
      const token_hash = new URL(link).searchParams.get('token_hash') ?? ''
      const confirmed = await stranger().auth.verifyOtp({ token_hash, type: 'signup' })
      if (confirmed.error) throw confirmed.error
      return email
    },
    async signedIn(personOrEmail) {
      const email = personOrEmail.includes('@') ? personOrEmail : `${personOrEmail}@example.com`
      const known = await people.get(email)?.catch(() => undefined)
      // A test may have ended every session of this person.
      if (known && !(await known.auth.getUser()).error) return known
      const signingIn = signIn(email)
      people.set(email, signingIn)
      return signingIn
    },
  }
}

/** An e-mail address of Grace or Theo that no account has yet. */
export function newAddress(person: 'grace' | 'theo'): `${string}@example.com` {
  return `${person}+${crypto.randomUUID().slice(0, 8)}@example.com`
}
