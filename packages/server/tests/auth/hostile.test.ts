// Hostile requests: none causes a failure of the server or changes an account.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer
let token: string

beforeAll(async () => {
  server = await authServer({ auth: 'enable_anonymous_sign_ins = true', sms: 'enable_signup = true' })
  token = (await newPerson(server, 'grace@example.com')).session.access_token
})
afterAll(() => server?.stop())

const posts = [
  '/signup',
  '/token?grant_type=password',
  '/token?grant_type=refresh_token',
  '/token?grant_type=pkce',
  '/token?grant_type=web3',
  '/recover',
  '/resend',
  '/otp',
  '/magiclink',
  '/verify',
]

describe('bodies that are no JSON object', () => {
  test.each(['', '{', 'null', '[]', '"text"', '12', '{"email":}', '\u0000', 'email=a'])(
    '%j',
    async (body) => {
      for (const path of posts) {
        const { status, json } = await raw(server, path, { method: 'POST', body })
        expect([path, status, json.error_code]).toEqual([path, 400, 'bad_json'])
        expect(json.msg).toMatch(/^Could not parse request body as JSON: /)
      }
      const { status, json } = await raw(server, '/user', { method: 'PUT', body, bearer: token })
      expect([status, json.error_code]).toEqual([400, 'bad_json'])
    },
  )
})

describe('fields of another type', () => {
  test.each([
    { email: 1, password: 'Meadowlark1' },
    { email: { a: 1 }, password: 'Meadowlark1' },
    { email: 'grace+a@example.com', password: ['Meadowlark1'] },
    { email: 'grace+a@example.com', password: 'Meadowlark1', data: 'text' },
    { email: 'grace+a@example.com', password: 'Meadowlark1', data: [1] },
    { email: 'grace+a@example.com', password: 'Meadowlark1', code_challenge: true },
  ])('%j', async (body) => {
    const { status, json } = await raw(server, '/signup', { body })
    expect([status, json.error_code]).toEqual([400, 'bad_json'])
    expect(json.msg).toMatch(/(email|password|data|code_challenge)/)
  })
})

test('a megabyte of brackets is refused without being parsed', async () => {
  const body = '['.repeat(1024 * 1024 - 1)
  const { status, json } = await raw(server, '/token?grant_type=password', { method: 'POST', body })
  expect(status).toBe(400)
  expect(json).toMatchObject({
    error_code: 'bad_json',
    msg: 'Could not parse request body as JSON: must not be nested deeper than 1000 levels',
  })
})

describe('text that cannot be stored', () => {
  const refused: [string, string][] = [
    ['{"email":"a\\u0000@example.com","password":"Meadowlark1"}', 'email must not contain NUL characters'],
    [
      '{"email":"grace+a@example.com","password":"Meadowlark1","data":{"full_name":"G\\u0000"}}',
      'data must not contain NUL characters',
    ],
    [
      '{"email":"grace+a@example.com","password":"Meadowlark1","data":{"\\u0000":1}}',
      'data must not contain NUL characters',
    ],
    ['{"email":"grace+a@example.com","password":"\\ud800aaaaaaaa"}', 'password must be well-formed Unicode'],
    [
      `{"email":"grace+a@example.com","password":"Meadowlark1","data":${'['.repeat(0)}${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
      'data is nested too deeply (at most 32 levels)',
    ],
  ]
  test.each(refused)('%s', async (body, msg) => {
    const { status, json } = await raw(server, '/signup', { method: 'POST', body })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 400, error_code: 'validation_failed', msg },
    })
  })

  test('in addresses, queries and headers', async () => {
    for (const path of ['/verify?token=%00&type=signup', '/verify?token=a&type=%00', '/user?%00=%00']) {
      expect((await raw(server, path)).status).toBeLessThan(500)
    }
    const filter = await raw(server, '/admin/users?filter=%00', { bearer: server.secretKey })
    expect(filter.status).toBe(400)
    for (const query of ['page=-1', 'page=1e9', 'per_page=many', 'sort=email%20asc', 'page=99999999999999']) {
      const { status, json } = await raw(server, `/admin/users?${query}`, { bearer: server.secretKey })
      expect([query, status, json.error_code]).toEqual([query, 400, 'validation_failed'])
    }
    expect((await raw(server, '/admin/users?page=2147483647', { bearer: server.secretKey })).status).toBe(200)
  })
})

test('a body beyond all measure is refused', async () => {
  const { status, json } = await raw(server, '/signup', {
    body: { email: 'grace+a@example.com', password: 'Meadowlark1', data: { bio: 'x'.repeat(1024 * 1024) } },
  })
  expect([status, json.error_code]).toEqual([413, 'request_entity_too_large'])
})

test('odd but storable text stays as it was sent', async () => {
  const name = '  Gräçe 🐦‍⬛ \u202e"><script>\'; drop table auth.users; --'
  const { session } = await newPerson(server, 'grace+odd@example.com')
  const answer = await raw(server, '/user', {
    method: 'PUT',
    bearer: session.access_token,
    body: { data: { motto: name, __proto__: 1, constructor: 'x' } },
  })
  expect(answer.status).toBe(200)
  expect(answer.json.user_metadata).toMatchObject({ motto: name, constructor: 'x' })
})
