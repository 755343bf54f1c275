// Functions and views that run as their owner: docs/security.md names each with what keeps it to what its caller may read.
// Each that a client may call is called with the ids of hidden things, and nothing hidden may come back or be copied.
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'
import { apply, bookingAt, handIn, list, postTask, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()

/** The rows of the table in docs/security.md: what they are about, and the names in them, with their schema. */
const rows = readFileSync(repositoryFile('docs/security.md'), 'utf8')
  .split('### Functions and views that run as their owner')[1]
  ?.split('\n')
  .filter((line) => /^\| .+`/.test(line))
  .map((line) => {
    const [first = ''] = line.slice(2).split(' | ')
    const [, about = '', schema, listed = ''] = /^(.*?)(?: in `(\w+)`)?: (.*)$/.exec(first) ?? []
    const names = [...listed.matchAll(/`([\w.]+)`/g)].map(([, name]) =>
      schema ? `${schema}.${name}` : String(name),
    )
    return { about, names }
  })
const named = (about: RegExp) =>
  rows?.filter((row) => about.test(row.about)).flatMap(({ names }) => names) ?? []

interface Definer {
  name: string
  callers: string
  result: string
}
const definers = async () =>
  (
    await owner(db)(
      `select distinct n.nspname || '.' || p.proname as name, p.prorettype::regtype::text as result,
         concat_ws(' ', case when has_function_privilege('anon', p.oid, 'execute') then 'anon' end,
           case when has_function_privilege('authenticated', p.oid, 'execute') then 'authenticated' end) as callers
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.prosecdef order by 1`,
    )
  ).rows as Definer[]

describe('docs/security.md', () => {
  it('names every function that runs as its owner, once', async () => {
    const known = named(/^(?!views)/)
    expect(known.toSorted()).toEqual((await definers()).map(({ name }) => name))
  })

  it('names every view that runs as its owner', async () => {
    const { rows: views } = await owner(db)(
      `select relnamespace::regnamespace || '.' || relname as name from pg_class
       where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind in ('v', 'm')
         and coalesce(not 'security_invoker=true' = any (reloptions), true) order by 1`,
    )
    expect(named(/^views/).toSorted()).toEqual(views.map(({ name }) => name))
  })

  it('says rightly who may run them', async () => {
    const callersOf = new Map((await definers()).map(({ name, callers }) => [name, callers]))
    const of = (about: RegExp) => [...new Set(named(about).map((name) => callersOf.get(name)))].sort()
    expect(of(/^functions for the secret key/)).toEqual([''])
    expect(of(/^(functions for administrators|functions about the caller)$/)).toContain('authenticated')
    expect(of(/^functions for administrators$/)).toEqual(['authenticated'])
    expect(of(/^(triggers|steps|searches|files)/)).toEqual([''])
    const results = new Map((await definers()).map(({ name, result }) => [name, result]))
    const kinds = (about: RegExp) => [...new Set(named(about).map((name) => results.get(name)))]
    expect(kinds(/^questions/)).toEqual(['boolean'])
    expect(kinds(/^triggers/)).toEqual(['trigger'])
  })

  it('lists for administrators what refuses everybody else', async () => {
    for (const name of named(/^functions for administrators$/)) {
      const { rows: found } = await owner(db)(
        `select coalesce(string_agg('null', ', '), '') as args from pg_proc p, generate_series(1, p.pronargs - p.pronargdefaults)
         where p.oid = $1::regproc`,
        [name],
      )
      for (const person of ['grace', 'theo', 'sam'] as const) {
        const asked = as(db, person)(`select public.${name.slice(7)}(${found[0].args})`)
        await expect(asked, name).rejects.toMatchObject({ code: '42501' })
      }
    }
  })
})

/** People who may read each hidden word; administrators read them all. */
const words: Record<string, Persona[]> = {
  hiddentask: ['grace'],
  hiddenrequest: ['grace'],
  hiddenmessage: ['theo'],
  blindreview: ['grace'],
  hiddenreview: ['grace'],
  hiddenperson: [],
  lastname: [],
  adminsnote: [],
  legalname: ['theo'],
  reportreason: ['sam'],
}

describe('a function that clients call', () => {
  const ids: string[] = []
  beforeAll(async () => {
    const task = await postTask(db)
    await list(db)
    const { rows: asked } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, asked_tasker_id)
       values ($1, 'A hiddenrequest', 'And a long description of hiddenrequest', 'Cleaning', 'Regina', 50, $2) returning id`,
      [cast.grace, cast.theo],
    )
    await owner(db)(
      `update public.tasks set title = 'A hiddentask', description = 'Long hiddentask words' where id = $1`,
      [task],
    )
    await owner(db)(`update public.tasks set hidden_for = 'report'`)
    await handIn(db)
    await owner(db)(`update public.verifications set legal_name = 'Theodore legalname'`)
    const [first, second] = [await bookingAt(db, 'completed'), await bookingAt(db, 'completed')]
    for (const [booking, comment] of [
      [first, 'A blindreview'],
      [second, 'A hiddenreview'],
    ] as const)
      await tryInsert(db, 'grace', 'reviews', {
        booking_id: booking.id,
        reviewer_id: cast.grace,
        rating: 2,
        comment,
      })
    await owner(db)(
      'update public.reviews set visible_from = now(), hidden_at = now() where booking_id = $1',
      [second.id],
    )
    const parties = { booking_id: first.id, sender_id: cast.theo, receiver_id: cast.grace }
    await tryInsert(db, 'theo', 'messages', { ...parties, message: 'A hiddenmessage' })
    await owner(db)('update public.messages set hidden_at = now()')
    // Earlier notifications do not matter here.
    await owner(db)('delete from public.notifications')
    const una = await signUp(db, { name: 'Una hiddenperson', role: 'task_doer' })
    // Somebody who is listed, applies for an open task and wrote a review that everybody reads.
    const vera = await signUp(db, { name: 'Vera Lastname', role: 'task_doer' })
    await owner(db)(`update private.profiles set full_name = 'Vera lastname' where id = $1`, [vera])
    const applied = await apply(db, await postTask(db), vera)
    await owner(db)(`update public.reviews set reviewer_id = $1 where comment = 'A blindreview'`, [vera])
    await owner(db)(`update private.profiles set verification_notes = 'An adminsnote'`)
    await list(db)
    await as(db, 'sam')('select public.report_content($1, $2, $3)', [
      'profile',
      cast.theo,
      'My reportreason is this',
    ])
    const { rows: others } = await owner(db)(
      'select id from public.messages union all select id from public.reviews',
    )
    ids.push(
      vera,
      applied.id,
      applied.taskId,
      task,
      asked[0].id,
      first.id,
      first.taskId,
      second.id,
      una,
      cast.grace,
      cast.theo,
      cast.ada,
    )
    ids.push(...others.map(({ id }) => id))
  })

  /** Every required argument by its type; the first text is what is searched for. */
  function values(type: string): string[] {
    if (type === 'uuid') return ids.map((id) => `'${id}'`)
    if (type === 'reported_kind')
      return ['task', 'message', 'profile', 'review', 'question', 'answer'].map((kind) => `'${kind}'`)
    if (type === 'tasks' || type === 'public_profiles')
      return ids.map((id) => `jsonb_populate_record(null::public.${type}, '{"id":"${id}"}')`)
    if (type === 'boolean') return ['true']
    if (type === 'text') return [`'hidden'`, `'Long enough for a reason'`]
    return ['null']
  }

  it.each(['anonymous', 'sam', 'grace', 'theo'] as const)(
    'tells %s nothing hidden, and copies none',
    async (person) => {
      const role = person === 'anonymous' ? 'anon' : 'authenticated'
      const { rows: functions } = await owner(db)(
        `select p.proname as name, p.provolatile = 'v' as writes, coalesce((select array_agg(t.typname::text order by place)
         from unnest(p.proargtypes::oid[]) with ordinality a (type, place) join pg_type t on t.oid = a.type
         where place <= greatest(p.pronargs - p.pronargdefaults, case when p.proargnames[1] = 'query' then 1 else 0 end)), '{}') as types
       from pg_proc p where p.pronamespace = 'public'::regnamespace and has_function_privilege($1, p.oid, 'execute')
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`,
        [role],
      )
      const secret = new RegExp(
        Object.entries(words)
          .filter(([, readers]) => !readers.includes(person))
          .map(([word]) => word)
          .join('|'),
      )
      const client = await db.database.pool.connect()
      const leaks: string[] = []
      const faults: string[] = []
      try {
        await client.query('begin')
        for (const { name, writes, types } of functions) {
          const calls = (types as string[]).reduce<string[][]>(
            (lists, type) => lists.flatMap((args) => values(type).map((value) => [...args, value])),
            [[]],
          )
          for (const args of calls) {
            const call = `${name}(${args.join(', ')})`
            await client.query('savepoint before')
            await become(client, person)
            const answer = await client.query(`select f::text from public.${call} f`).catch((error) => {
              // Broken rules, rejections and invalid values; nothing else.
              if (!/^(P0001|42501|PT429|22P02|23\d{3})$/.test(error.code))
                faults.push(`${call}: ${error.code} ${error.message}`)
              return { rows: [`${error.message} ${error.detail} ${error.hint}`], failed: true }
            })
            if (secret.test(JSON.stringify(answer.rows))) leaks.push(call)
            if (writes && !('failed' in answer) && secret.test(await everythingOf(client, person)))
              leaks.push(`${call}, later`)
            await client.query('rollback to before')
          }
        }
      } finally {
        await client.query('rollback')
        client.release()
      }
      expect({ leaks, faults }).toEqual({ leaks: [], faults: [] })
      expect(functions.length).toBeGreaterThan(10)
    },
  )
})

async function become(client: pg.PoolClient, person: Persona): Promise<void> {
  const role = person === 'anonymous' ? 'anon' : 'authenticated'
  const claims = { role, ...(person === 'anonymous' ? {} : { sub: cast[person], aal: 'aal2' }) }
  await client.query(`set local role ${role}`)
  await client.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
}

/** All that somebody reads now, and all that their export would hold. */
async function everythingOf(client: pg.PoolClient, person: Persona): Promise<string> {
  if (person === 'anonymous') return ''
  const tables =
    'notifications receipts bookings tasks messages chat_messages reviews complaints public_profiles profiles'
  let all = ''
  for (const table of tables.split(' ')) {
    const { rows: read } = await client.query(`select to_jsonb(t) as row from public.${table} t`)
    all += JSON.stringify(read)
  }
  await client.query('reset role')
  const { rows: exported } = await client.query('select public.data_of_person($1) as data', [cast[person]])
  return all + JSON.stringify(exported)
}
