// Texts that try to be SQL, in every position of a request: each must stay a name or a value.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, latin, makeTexts, openFixture, pair } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await makeTexts(fixture)
})
afterAll(() => fixture?.stop())

const ask: Fixture['askApi'] = (...request) => fixture.askApi(...request)

const ATTACKS = [
  `'; drop table api.victim; --`,
  `"; drop table api.victim; --`,
  `1; drop table api.victim`,
  `1) or (1=1`,
  `x' or 'x'='x`,
  `" or ""="`,
  `$1`,
  `$$; drop table api.victim; $$`,
  `\\'; drop table api.victim; --`,
  `\0'; drop table api.victim; --`,
  `/* */ union select 1 --`,
  `int) from pg_authid; --`,
  `text as x, (select rolpassword from pg_authid limit 1) as y`,
  `../../etc/passwd`,
  `{{constructor}}`,
  `__proto__`,
  `constructor`,
  `%27%3B`,
  `\u2019; drop table api.victim; --`,
  `pg_sleep(10)`,
]

describe('injection', () => {
  test('in every position stays a name or a value', async () => {
    await fixture.sql(
      `create table api.victim (id int); insert into api.victim values (1); grant all on api.victim to anon`,
    )
    await fixture.reload()
    const before = await fixture.sql(`select count(*) from pg_class`)
    const positions: ((attack: string) => Promise<Response>)[] = [
      (text) => ask(`/texts?${pair('body', `eq.${text}`)}`),
      (text) => ask(`/texts?${pair('num', `eq.${text}`)}`),
      (text) => ask(`/texts?${pair('body', `like.${text}`)}`),
      (text) => ask(`/texts?${pair('body', `in.(${text})`)}`),
      (text) => ask(`/texts?${pair('body', `fts(${text}).x`)}`),
      (text) => ask(`/texts?${pair('body', `is.${text}`)}`),
      (text) => ask(`/texts?${pair('body', `${text}.x`)}`),
      (text) => ask(`/texts?${pair(text, 'eq.1')}`),
      (text) => ask(`/texts?${pair(JSON.stringify(text), 'eq.1')}`),
      (text) => ask(`/texts?${pair(`doc->${text}`, 'eq.1')}`),
      (text) => ask(`/texts?${pair(`doc->"${text.replace(/["\\]/g, '\\$&')}"`, 'eq.1')}`),
      (text) => ask(`/texts?${pair('or', `(body.eq.${text},id.eq.1)`)}`),
      (text) => ask(`/texts?${pair('or', `(${text}.eq.1)`)}`),
      (text) => ask(`/texts?${pair('select', text)}`),
      (text) => ask(`/texts?${pair('select', `"${text.replace(/["\\]/g, '\\$&')}"`)}`),
      (text) => ask(`/texts?${pair('select', `x:id::${text}`)}`),
      (text) => ask(`/texts?${pair('select', `"${text.replace(/["\\]/g, '\\$&')}":id`)}`),
      (text) => ask(`/texts?${pair('select', `${text}(*)`)}`),
      (text) => ask(`/projects?${pair('select', `clients!"${text.replace(/["\\]/g, '\\$&')}"(*)`)}`),
      (text) => ask(`/texts?${pair('order', text)}`),
      (text) => ask(`/texts?${pair('order', `id.${text}`)}`),
      (text) => ask(`/texts?${pair('limit', text)}&${pair('offset', text)}`),
      (text) =>
        ask(
          `/texts?${pair('on_conflict', text)}`,
          post({ id: 1 }, { prefer: 'resolution=merge-duplicates' }),
        ),
      (text) => ask(`/texts?${pair('columns', text)}`, post({ id: 1 })),
      (text) => ask('/texts', post({ [text]: 1 })),
      (text) =>
        ask(
          '/texts',
          post({ id: 500_000 + ATTACKS.indexOf(text), body: text, tags: [text], doc: { [text]: text } }),
        ),
      (text) => ask(`/texts?id=eq.1`, { ...post({ body: text }), method: 'PATCH' }),
      (text) => ask(`/texts?id=lt.0&${pair('body', `eq.${text}`)}`, { method: 'DELETE' }),
      (text) => ask(`/${encodeURIComponent(text)}`),
      (text) => ask(`/rpc/${encodeURIComponent(text)}`, post({})),
      (text) => ask('/rpc/greet', post({ name: text })),
      (text) => ask(`/rpc/greet?${pair('name', text)}`),
      (text) => ask('/rpc/greet', post({ [text]: 'x' })),
      (text) => ask('/texts', { ...post({ id: 1 }, { 'content-type': latin(text) }) }),
      (text) => ask('/texts', { ...post({}, { 'content-type': 'text/csv' }), body: `id,${text}\n1,${text}` }),
      (text) =>
        ask('/rpc/greet', {
          ...post({}, { 'content-type': 'application/x-www-form-urlencoded' }),
          body: pair(text, text),
        }),
      (text) => ask(`/projects?select=id,clients(name)&${pair('clients.name', `eq.${text}`)}`),
      (text) => ask(`/projects?select=id,clients(name)&${pair(`clients.${text}`, 'eq.1')}`),
      (text) => ask(`/projects?select=id,clients(name)&${pair('order', `clients(${text})`)}`),
      (text) => ask(`/projects?select=id,clients(name)&${pair('clients.or', `(name.eq.${text},id.eq.1)`)}`),
      (text) => ask(`/projects?${pair('select', `...clients(${text}:name)`)}`),
      (text) => ask(`/texts?${pair('select', `id.${text}()`)}`),
      async (text) => ask('/texts', { headers: await signed({ role: 'anon', sub: text, [text]: text }) }),
      // PostgreSQL itself says that there is no such role.
      async (text) => ask('/texts', { headers: await signed({ role: text }) }),
      (text) => ask('/texts', { headers: { 'accept-profile': latin(text) } }),
      (text) => ask('/texts', { headers: { prefer: latin(text) } }),
      (text) => ask('/texts', { headers: { prefer: `timezone=${latin(text)}` } }),
      (text) => ask('/texts', { headers: { range: latin(text) } }),
      (text) => ask('/texts', { headers: { accept: latin(text) } }),
      (text) => ask('/texts', { headers: { 'x-anything': latin(text), cookie: latin(text) } }),
    ]
    for (const [index, position] of positions.entries()) {
      await Promise.all(
        ATTACKS.map(async (attack) => {
          const response = await position(attack)
          expect(response.status, `${index}: ${attack}`).toBeLessThan(500)
          await response.text()
        }),
      )
    }
    expect((await fixture.sql('select id from api.victim')).length).toBe(1)
    expect(await fixture.sql(`select count(*) from pg_class`)).toEqual(before)
    const stored = await fixture.sql('select body from api.texts where id >= 500000 order by id')
    const storable = ATTACKS.filter((text) => !text.includes('\0'))
    expect(stored.map(({ body }) => body)).toEqual(storable)
  })
})

/** A token that is ours and carries what an attacker would like to be in it. */
async function signed(claims: Record<string, unknown>): Promise<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + 60
  return { authorization: `Bearer ${await fixture.server.services.keys.sign({ ...claims, exp })}` }
}

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
}
