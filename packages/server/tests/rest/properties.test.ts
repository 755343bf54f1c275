// Generated queries, whose answers equal those of SQL written by hand, and rows that come back as they were sent.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { amount } from '../support/soak.ts'
import { type Fixture, makeTexts, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await makeTexts(fixture)
  await fixture.sql(`alter table api.texts
    add span int4range generated always as (case when num > 0 then int4range(num, num + 3) end) stored`)
  await fixture.configure({ db_aggregates_enabled: 'true' })
})
afterAll(() => fixture?.stop())

const ask: Fixture['askApi'] = (...request) => fixture.askApi(...request)

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

/** Operators whose operand is a list, and those of arrays and ranges. */
const listed: typeof comparison = fc.oneof(
  fc
    .tuple(
      // `neq` takes no quantifier.
      fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte'),
      fc.constantFrom('any', 'all'),
      fc.array(small, { minLength: 1, maxLength: 3 }),
    )
    .map(([name, quantifier, values]) => ({
      url: `${name}(${quantifier}).{${values.join(',')}}`,
      sql: `${OPERATORS[name]} ${quantifier} ('{${values.join(',')}}')`,
    }))
    .chain((operation) => fc.record(whatever('num', operation))),
  fc
    .tuple(
      fc.constantFrom({ cs: '@>' }, { cd: '<@' }, { ov: '&&' }),
      fc.array(fc.constantFrom('', 'a', 'Ab', 'x,y', '"q"', 'back\\slash'), { maxLength: 3 }),
    )
    .map(([operator, values]) => {
      const [[name, sign]] = Object.entries(operator) as [[string, string]]
      const array = `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
      // Inside and/or the operand is in quotes, which take a backslash off.
      return { url: `${name}.${inTree(array)}`, sql: `${sign} ${quote(array)}` }
    })
    .chain((operation) => fc.record(whatever('tags', operation))),
  fc
    .tuple(small, fc.nat(5))
    .map(([from, size]) => ({
      url: `cd.${inTree(`[${from},${from + size}]`)}`,
      sql: `<@ int4range('[${from},${from + size}]')`,
    }))
    .chain((operation) => fc.record(whatever('span', operation))),
  fc
    .option(small)
    .map((value) => ({
      url: value === null ? 'isdistinct.null' : `isdistinct.${value}`,
      sql: `is distinct from ${value === null ? "'null'" : `'${value}'`}`,
    }))
    .chain((operation) => fc.record(whatever('body', operation))),
)

function whatever(column: string, operation: Both) {
  return { column: fc.constant(column), negated: fc.boolean(), operation: fc.constant(operation) }
}

const condition = fc.oneof(comparison, textual, listed).map(({ column, negated, operation }): Both => {
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
      await fixture.sql('insert into api.texts (id, body, num, doc, tags) values ($1, $2, $3, $4, $5)', [
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
          const [expected] = await fixture.sql(
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
      { numRuns: amount({ gate: 120, soak: 2500 }) },
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
        const [expected] = await fixture.sql(
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
      { numRuns: amount({ gate: 50, soak: 1000 }) },
    )
  })

  test('aggregates, grouped by whatever else is selected', async () => {
    const functions = fc.constantFrom('count', 'sum', 'min', 'max', 'avg')
    const arbitrary = fc.record({
      groups: fc.subarray(['body', 'num'], { minLength: 0 }),
      aggregates: fc.uniqueArray(functions, { minLength: 1, maxLength: 3 }),
      where: condition,
    })
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ groups, aggregates, where }) => {
        const select = [...groups, ...aggregates.map((name) => `a_${name}:id.${name}()`)]
        const columns = [...groups, ...aggregates.map((name) => `${name}(id) as a_${name}`)]
        const grouped = groups.length > 0 ? `group by ${groups.join(', ')} order by ${groups.join(', ')}` : ''
        const [expected] = await fixture.sql(
          `select coalesce(json_agg(r), '[]') as rows from
           (select ${columns.join(', ')} from api.texts where ${where.sql} ${grouped}) r`,
        )
        const order = groups.length > 0 ? `&order=${groups.join(',')}` : ''
        const query = `select=${select.join(',')}&and=${encodeURIComponent(`(${where.url})`)}${order}`
        expect(await (await ask(`/texts?${query}`)).json()).toEqual(expected.rows)
      }),
      { numRuns: amount({ gate: 40, soak: 800 }) },
    )
  })

  test('parents by themselves or by what is embedded, ordered by what is above them', async () => {
    const arbitrary = fc.record({
      name: fc.constantFrom('%w%', 'Code%', '%OSX', 'none'),
      hours: fc.integer({ min: 0, max: 40 }),
      operator: fc.constantFrom('and', 'or'),
      descending: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ name, hours, operator, descending }) => {
        const direction = descending ? 'desc' : 'asc'
        const [expected] = await fixture.sql(
          `select coalesce(json_agg(r), '[]') as rows from (
             select t.id, (select json_build_object('name', p.name) from api.projects p where p.id = t.project_id) as projects
             from api.tasks t left join api.projects p on p.id = t.project_id and p.name ilike '%w%'
             where t.name like '${name}' ${operator} (p.id is not null and t.hours > ${hours})
             order by (select q.name from api.projects q where q.id = t.project_id) ${direction}, t.id) r`,
        )
        const tree = `(name.like.${name.replaceAll('%', '*')},and(filter.not.is.null,hours.gt.${hours}))`
        const query = [
          'select=id,projects(name),filter:projects()&filter.name=ilike.*w*',
          `${operator}=${encodeURIComponent(tree)}&order=projects(name).${direction},id`,
        ]
        expect(await (await ask(`/tasks?${query.join('&')}`)).json()).toEqual(expected.rows)
      }),
      { numRuns: amount({ gate: 30, soak: 600 }) },
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
        const response = await ask('/texts?select=id,body,num,doc,tags', { method: 'POST', body, headers })
        const [back] = await response.json()
        // JSON knows no lone surrogates; what PostgreSQL takes must come back equal.
        expect(JSON.stringify(back?.doc)).toBe(
          JSON.stringify((await fixture.sql('select doc from api.texts where id = $1', [id]))[0]?.doc),
        )
        expect({ ...back, doc: null }).toEqual({ ...JSON.parse(body), doc: null })
      }),
      { numRuns: amount({ gate: 60, soak: 1200 }) },
    )
  })
})
