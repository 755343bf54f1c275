// Generated requests: queries whose answers equal those of SQL written by hand, texts in every position that must
// stay texts, and nonsense in every position that must never be answered with a 5xx.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.sql(`
    create table api.texts (id int primary key, body text, num int, doc jsonb, tags text[]);
    grant all on api.texts to anon`)
  await world.reload()
})
afterAll(() => world?.stop())

const ask = (path: string, init: RequestInit = {}) =>
  world.ask(path, {
    ...init,
    headers: { 'accept-profile': 'api', 'content-profile': 'api', ...init.headers },
  })

/** A parameter of a query string. */
const pair = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

// A filter as the URL writes it and as SQL does -----------------------------------------------------------

type Both = { url: string; sql: string }

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
/** A value inside and/or, where quotes protect commas and brackets. */
const inTree = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

const word = fc.constantFrom('', 'a', 'Ab', 'b c', 'x,y', '(z)', '"q"', "it's", 'back\\slash', 'é%_', '*')
const small = fc.integer({ min: -3, max: 12 })
const OPERATORS = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const comparison: fc.Arbitrary<{ column: string; negated: boolean; operation: Both }> = fc.record({
  column: fc.constantFrom('num', 'id'),
  negated: fc.boolean(),
  operation: fc
    .tuple(fc.constantFrom(...(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[])), small)
    .map(([name, value]) => ({ url: `${name}.${value}`, sql: `${OPERATORS[name]} ${value}` })),
})
const textual: typeof comparison = fc.record({
  column: fc.constantFrom('body', 'doc->>k'),
  negated: fc.boolean(),
  operation: fc.oneof(
    word.map((value) => ({ url: `eq.${inTree(value)}`, sql: `= ${quote(value)}` })),
    // `in.("")` is the empty list, as in PostgREST.
    fc.array(word, { minLength: 2, maxLength: 4 }).map((values) => ({
      url: `in.(${values.map(inTree).join(',')})`,
      sql: `in (${values.map(quote).join(', ')})`,
    })),
    fc.constantFrom('a', 'B', 'x*').map((value) => ({
      url: `ilike.${inTree(`*${value}*`)}`,
      sql: `ilike ${quote(`%${value.replaceAll('*', '%')}%`)}`,
    })),
    fc.constant({ url: 'is.null', sql: 'is null' }),
  ),
})

const condition = fc.oneof(comparison, textual).map(({ column, negated, operation }): Both => {
  const name = column === 'doc->>k' ? `doc->>'k'` : column
  return {
    url: `${column}.${negated ? 'not.' : ''}${operation.url}`,
    sql: `${negated ? 'not ' : ''}((${name}) ${operation.sql})`,
  }
})

const { tree } = fc.letrec<{ tree: Both; branch: Both }>((tie) => ({
  branch: fc
    .tuple(fc.boolean(), fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
    .map(([negated, operator, children]) => ({
      url: `${negated ? 'not.' : ''}${operator}(${children.map(({ url }) => url).join(',')})`,
      sql: `${negated ? 'not ' : ''}(${children.map(({ sql }) => sql).join(` ${operator} `)})`,
    })),
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, condition, tie('branch')),
}))

const order: fc.Arbitrary<Both> = fc
  .tuple(
    fc.constantFrom('num', 'body'),
    fc.constantFrom('', '.asc', '.desc'),
    fc.constantFrom('', '.nullsfirst', '.nullslast'),
  )
  .map(([column, direction, nulls]) => ({
    url: `${column}${direction}${nulls},id`,
    sql: `${column} ${direction.slice(1)} ${nulls === '' ? '' : `nulls ${nulls.slice(6)}`}, id`,
  }))

describe('answers equal those of SQL written by hand', () => {
  test('filters, trees, orders, ranges and counts of one table', async () => {
    const rows = fc.sample(fc.tuple(word, fc.option(small), fc.option(word)), { numRuns: 60, seed: 7 })
    for (const [index, [body, num, k]] of rows.entries()) {
      await world.sql('insert into api.texts values ($1, $2, $3, $4, $5)', [
        index,
        index % 7 === 0 ? null : body,
        num,
        k === null ? null : { k },
        [body],
      ])
    }
    await fc.assert(
      fc.asyncProperty(
        tree,
        order,
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 20 }),
        async (where, by, offset, limit) => {
          const query = `select=id,body&and=${encodeURIComponent(`(${where.url})`)}&order=${by.url}&offset=${offset}&limit=${limit}`
          const [expected] = await world.sql(
            `select (select coalesce(json_agg(r), '[]') from
             (select id, body from api.texts where ${where.sql} order by ${by.sql} offset ${offset} limit ${limit}) r) as rows,
             (select count(*)::int from api.texts where ${where.sql}) as total`,
          )
          const response = await ask(`/texts?${query}`, { headers: { prefer: 'count=exact' } })
          if (offset > expected.total) expect(response.status).toBe(416)
          else {
            expect(await response.json()).toEqual(expected.rows)
            expect(response.headers.get('content-range')?.split('/')[1]).toBe(String(expected.total))
          }
        },
      ),
      { numRuns: 250, seed: 11 },
    )
  })

  test('embeds, inner or not, filtered, with their parents filtered by them', async () => {
    const arbitrary = fc.record({
      inner: fc.boolean(),
      presence: fc.constantFrom('', 'not.is.null', 'is.null'),
      hours: fc.option(fc.integer({ min: 0, max: 40 })),
      limit: fc.option(fc.integer({ min: 0, max: 3 })),
    })
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ inner, presence, hours, limit }) => {
        const match = `t.project_id = p.id${hours === null ? '' : ` and t.hours > ${hours}`}`
        const some = `exists (select from api.tasks t where ${match})`
        const nothing = limit === 0
        const wanted = [
          ...(inner ? [nothing ? 'false' : some] : []),
          ...(presence === ''
            ? []
            : [nothing ? String(presence === 'is.null') : `${presence === 'is.null' ? 'not ' : ''}${some}`]),
        ]
        const [expected] = await world.sql(
          `select coalesce(json_agg(r), '[]') as rows from (
             select p.id, (select coalesce(json_agg(x), '[]') from
               (select t.id from api.tasks t where ${match} order by t.id desc ${limit === null ? '' : `limit ${limit}`}) x) as tasks
             from api.projects p where ${wanted.join(' and ') || 'true'} order by p.id) r`,
        )
        const query = [
          `select=id,tasks${inner ? '!inner' : ''}(id)&order=id&tasks.order=id.desc`,
          ...(hours === null ? [] : [`tasks.hours=gt.${hours}`]),
          ...(limit === null ? [] : [`tasks.limit=${limit}`]),
          ...(presence === '' ? [] : [`tasks=${presence}`]),
        ]
        expect(await (await ask(`/projects?${query.join('&')}`)).json()).toEqual(expected.rows)
      }),
      { numRuns: 100, seed: 3 },
    )
  })

  test('any row that is written is read back as it was', async () => {
    const row = fc.record({
      body: fc.option(fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))),
      num: fc.option(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
      doc: fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('\\u0000')),
      tags: fc.option(
        fc.array(
          fc.string().filter((text) => !text.includes('\0')),
          { maxLength: 4 },
        ),
      ),
    })
    let id = 1000
    await fc.assert(
      fc.asyncProperty(row, async (values) => {
        const sent = { id: ++id, ...values }
        const body = JSON.stringify(sent)
        const headers = { 'content-type': 'application/json', prefer: 'return=representation' }
        const response = await ask('/texts', { method: 'POST', body, headers })
        const [back] = await response.json()
        // JSON knows no lone surrogates; what PostgreSQL takes must come back equal.
        expect(JSON.stringify(back?.doc)).toBe(
          JSON.stringify((await world.sql('select doc from api.texts where id = $1', [id]))[0]?.doc),
        )
        expect({ ...back, doc: null }).toEqual({ ...JSON.parse(body), doc: null })
      }),
      { numRuns: 120, seed: 5 },
    )
  })
})

// Injection -----------------------------------------------------------------------------------------------

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
    await world.sql(
      `create table api.victim (id int); insert into api.victim values (1); grant all on api.victim to anon`,
    )
    await world.reload()
    const before = await world.sql(`select count(*) from pg_class`)
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
      (text) => ask('/texts', { headers: { 'accept-profile': latin(text) } }),
      (text) => ask('/texts', { headers: { prefer: latin(text) } }),
      (text) => ask('/texts', { headers: { prefer: `timezone=${latin(text)}` } }),
      (text) => ask('/texts', { headers: { range: latin(text) } }),
      (text) => ask('/texts', { headers: { accept: latin(text) } }),
      (text) => ask('/texts', { headers: { 'x-anything': latin(text), cookie: latin(text) } }),
    ]
    for (const position of positions) {
      for (const attack of ATTACKS) {
        const response = await position(attack)
        expect(response.status, `${positions.indexOf(position)}: ${attack}`).toBeLessThan(500)
        await response.text()
      }
    }
    expect((await world.sql('select id from api.victim')).length).toBe(1)
    expect(await world.sql(`select count(*) from pg_class`)).toEqual(before)
    const stored = await world.sql('select body from api.texts where id >= 500000 order by id')
    const storable = ATTACKS.filter((text) => !text.includes('\0'))
    expect(stored.map(({ body }) => body)).toEqual(storable)
  })
})

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** What a header can carry. */
function latin(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

// Nonsense ------------------------------------------------------------------------------------------------

describe('nonsense', () => {
  test('three thousand malformed requests, none answered with a 5xx', async () => {
    const piece = fc.constantFrom(
      ...[
        'select',
        'order',
        'limit',
        'offset',
        'and',
        'or',
        'not',
        'columns',
        'on_conflict',
        'id',
        'body',
        'doc',
      ],
      ...[
        '=',
        '&',
        '.',
        ',',
        '(',
        ')',
        '!',
        ':',
        '::',
        '->',
        '->>',
        '"',
        '*',
        '{',
        '}',
        '...',
        '-',
        '\\',
        '%',
        '%00',
        '%ff',
        '+',
      ],
      ...[
        'eq',
        'in',
        'is',
        'fts',
        'like(any)',
        'null',
        'true',
        '1',
        '-1',
        '99999999999999999999',
        'é',
        '\u{1f426}',
        ' ',
      ],
      ...[
        'clients',
        'tasks',
        'projects',
        'inner',
        'count()',
        'sum()',
        'x',
        'int',
        'text',
        'asc',
        'nullsfirst',
      ],
    )
    const nonsense = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    const value = fc.oneof(
      nonsense,
      nonsense.map((text) => `eq.${text}`),
      nonsense.map((text) => `(${text})`),
    )
    const query = fc
      .array(
        fc.tuple(
          fc.constantFrom(
            'select',
            'order',
            'id',
            'or',
            'and',
            'limit',
            'tasks.id',
            'columns',
            'on_conflict',
          ),
          value,
        ),
        { maxLength: 3 },
      )
      .map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURI(text).replaceAll('#', '')}`).join('&'))
    const body = fc.oneof(
      nonsense,
      fc.json(),
      fc.jsonValue().map((json) => JSON.stringify({ id: json })),
    )
    const request = fc.record({
      method: fc.constantFrom(
        'GET',
        'GET',
        'GET',
        'HEAD',
        'POST',
        'PATCH',
        'PUT',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'SEARCH',
      ),
      path: fc.oneof(
        fc.constantFrom('/tasks', '/projects', '/rpc/add', '/rpc/all_projects', '/texts', '/'),
        nonsense.map((text) => `/${encodeURIComponent(text)}`),
      ),
      query: fc.oneof(query, nonsense.map(encodeURI)),
      body,
      headers: fc.record(
        {
          prefer: nonsense.map(latin),
          range: nonsense.map(latin),
          accept: fc.oneof(
            nonsense.map(latin),
            fc.constantFrom(
              'text/csv',
              'application/vnd.pgrst.object+json',
              'application/vnd.pgrst.plan+json; for="',
            ),
          ),
          'content-type': fc.oneof(
            nonsense.map(latin),
            fc.constantFrom(
              'application/json',
              'text/csv',
              'text/plain',
              'application/x-www-form-urlencoded',
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    })
    const wrong: unknown[] = []
    const samples = fc.sample(request, { numRuns: 3000, seed: 42 }).filter(({ method }) => method !== 'TRACE')
    let slowest = 0
    const worker = async () => {
      for (let next = samples.pop(); next; next = samples.pop()) {
        const { method, path, query: text, body: content, headers } = next
        const started = Date.now()
        const withBody = method !== 'GET' && method !== 'HEAD'
        const response = await ask(`${path}?${text.replaceAll('#', '%23')}`, {
          method,
          headers: { ...headers, prefer: `tx=rollback, ${headers.prefer ?? ''}` },
          ...(withBody ? { body: content } : {}),
        }).catch((error: Error) => ({ status: 0, text: async () => String(error.cause ?? error) }))
        const answer = await response.text()
        slowest = Math.max(slowest, Date.now() - started)
        if (response.status >= 500 || response.status === 0) wrong.push([response.status, next, answer])
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(wrong).toEqual([])
    expect(slowest).toBeLessThan(5000)
  }, 60_000)
})
