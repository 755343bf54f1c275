// Enumeration of accounts: neither an answer's effects nor the work of hashing reveals them. The answers are tested
// in message-limits, signup and guessing.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer
const people = {
  known: 'grace@example.com',
  unknown: 'nobody@example.com',
  unconfirmed: 'theo@example.com',
  banned: 'sam@example.com',
  withoutPassword: 'ada@example.com',
  deleted: 'sam+deleted@example.com',
}
const everybody = Object.entries(people)

beforeAll(async () => {
  server = await authServer()
  const { admin } = stranger(server, server.secretKey).auth
  await newPerson(server, people.known)
  const { session: banned } = await newPerson(server, people.banned)
  await admin.updateUserById(banned.user.id, { ban_duration: '24h' })
  const { session: deleted } = await newPerson(server, people.deleted)
  await admin.deleteUser(deleted.user.id, true)
  const unconfirmed = await stranger(server).auth.signUp({
    email: people.unconfirmed,
    password,
    options: { data: giver('Theo') },
  })
  expect(unconfirmed.error).toBeNull()
  await nextMessage(server, people.unconfirmed)
  const made = await admin.createUser({
    email: people.withoutPassword,
    email_confirm: true,
    user_metadata: giver('Ada'),
  })
  expect(made.error).toBeNull()
})
afterAll(() => server?.stop())

/** The statements on the auth service's tables while `work` runs, but for the sweeping of old counts. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  const query = pg.Client.prototype.query as (...all: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...all: unknown[]
  ) {
    const [first] = all as [string | { text?: string } | null]
    const text = typeof first === 'string' ? first : (first?.text ?? '')
    if (/\bauth\./.test(text) && !text.includes('skip locked')) seen.push(text)
    return query.apply(this, all)
  } as never)
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return seen
}

describe('the same is asked of the database for every address', () => {
  const requests: [string, string, (email: string) => object][] = [
    ['a sign-in', '/token?grant_type=password', (email) => ({ email, password: 'Wrong12345' })],
    ['a typed code', '/verify', (email) => ({ type: 'email', email, token: '000000' })],
    ['the code of a recovery', '/verify', (email) => ({ type: 'recovery', email, token: '000000' })],
  ]
  test.each(requests)('by %s', async (_what, path, body) => {
    const seen: Record<string, unknown> = {}
    for (const [kind, email] of everybody) {
      let answer: unknown
      const statements = await statementsOf(async () => {
        // The devices of somebody who has signed in here before have separate tries; this is none of them.
        const { status, json } = await raw(server, path, {
          body: body(email),
          headers: { 'user-agent': 'a stranger' },
        })
        answer = [status, json]
      })
      expect(statements.length).toBeGreaterThan(1)
      seen[kind] = { answer, statements }
    }
    for (const [kind] of everybody)
      expect({ kind, ...(seen[kind] as object) }).toEqual({ kind, ...(seen.known as object) })
  })

  test.each(['/recover', '/otp', '/magiclink', '/resend'])(
    'by %s: accounts are looked at by a job, after the answer',
    async (path) => {
      // Not one of the server's own connections, of which it has few.
      const client = new pg.Client({ connectionString: server.database.url })
      await client.connect()
      try {
        await client.query('begin')
        await client.query('lock table auth.users, auth.identities in access exclusive mode')
        for (const [, email] of everybody) {
          const { status, text } = await raw(server, path, { body: { email, type: 'signup' } })
          expect([status, text]).toEqual([200, '{}'])
        }
      } finally {
        await client.end()
      }
    },
  )
})

describe('as much is hashed for every address', () => {
  /** Every hash that is made or compared while this is answered, and how costly it is (tests/support/setup.ts). */
  const hashesOf = async (path: string, body: object): Promise<unknown[]> => {
    const seen: unknown[] = []
    const note = (what: unknown) => void seen.push(what)
    subscribe('tests:bcrypt', note)
    await raw(server, path, { body })
    unsubscribe('tests:bcrypt', note)
    return seen
  }

  test.each([
    ['a sign-in', '/token?grant_type=password', { password: 'Wrong12345' }, ['compare of cost 4']],
    ['a sign-up', '/signup', { password, data: giver('Grace') }, ['hash of cost 10', 'compare of cost 4']],
  ])('by %s', async (_what, path, body, expected) => {
    for (const [kind, email] of everybody)
      expect([kind, await hashesOf(path, { email, ...body })]).toEqual([kind, expected])
  })
})
