// Holds the policy matrix against the catalogue, and tries every line of it as everyone, at every stage of a booking.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { propose } from './changes.ts'
import {
  apply,
  type Booking,
  handIn,
  handInDocument,
  list,
  move,
  pay,
  postTask,
  report,
  tryInsert,
} from './lives.ts'
import { matrix } from './matrix.ts'
import { photoOfGrace } from './matrix-columns.ts'
import { functions } from './matrix-functions.ts'
import { allowedAt, type Rules, type Stage, stages } from './matrix-rules.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'
import { subscribe } from './subscriptions.ts'

const people: Persona[] = ['anonymous', 'grace', 'theo', 'ada', 'sam']
const db = databaseWithCast()
let booking: Booking | undefined

beforeAll(async () => {
  await owner(db)('create table public.subject (name text primary key, id uuid)')
  await owner(db)('grant select on public.subject to anon, authenticated')
  const newcomer = await signUp(db, { name: 'Nell Newcomer', role: 'task_doer' })
  await remember('newcomer', newcomer)
  await remember('open task', await postTask(db))
  await tryInsert(db, 'grace', 'payment_methods', { user_id: cast.grace, stripe_payment_method_id: 'pm_1' })
  const tasker = await signUp(db, { name: 'Lena Listed', role: 'task_doer' })
  await list(db, tasker)
  await remember('listed tasker', tasker)
  await tryInsert(db, 'grace', 'favourites', { user_id: cast.grace, tasker_id: tasker })
  await tryInsert(db, 'grace', 'saved_searches', { user_id: cast.grace, words: 'driveway' })
  const openTask = '(select id from public.subject where name = $$open task$$)'
  await as(db, 'theo')(
    `insert into public.task_questions (task_id, asker_id, question) values (${openTask}, $1, 'Is it steep?')`,
    [cast.theo],
  )
  await owner(db)(`insert into public.subject select 'open question', id from public.task_questions`)
  await tryInsert(db, 'theo', 'application_texts', {
    user_id: cast.theo,
    title: 'Snow',
    text: 'I have a blower.',
  })
  await tryInsert(db, 'theo', 'travel_areas', { user_id: cast.theo, place_id: 'saskatoon' })
  await as(
    db,
    'theo',
  )(
    `select public.save_hours('[{"weekday": 1, "starts": "09:00", "ends": "17:00"}]', 'America/Regina', 30, true, true)`,
  )
  await as(db, 'theo')('select public.create_calendar_address()')
  await tryInsert(db, 'theo', 'imported_calendars', {
    user_id: cast.theo,
    name: 'Family',
    address: 'https://calendar.example/family.ics',
  })
  await tryInsert(db, 'theo', 'hours_exceptions', {
    user_id: cast.theo,
    day: new Date(Date.now() + 2 * 86_400_000),
    starts: '09:00',
    ends: '12:00',
  })
  // A booking of others, so that Grace and Theo do not know each other by it.
  const [giver, doer] = [await signUp(db, { role: 'task_giver' }), await signUp(db, { role: 'task_doer' })]
  await owner(db)(
    `with series as (insert into public.task_series (giver_id, tasker_id, repeats, time_zone, ends_on, visits)
       values ($1, $2, '{}', 'America/Regina', current_date, 2) returning id)
     insert into public.snow_reports (series_id, booking_id, day, cm, photos) select id, $3, current_date, 6, '{}' from series`,
    [cast.grace, cast.theo, (await apply(db, await postTask(db, { giver }), doer)).id],
  )
  await tryInsert(db, 'theo', 'quiet_hours', { user_id: cast.theo, starts: '22:00', ends: '07:00' })
  await subscribe(db, 'theo')
  await tryInsert(db, 'theo', 'payout_accounts', {
    user_id: cast.theo,
    stripe_account_id: 'x',
    bank_last4: '6789',
  })
  await owner(db)(
    `insert into public.payouts (id, user_id, amount, currency, created_at) values ('po_theo', $1, 80, 'CAD', now())`,
    [cast.theo],
  )
  await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
  await as(db, 'theo')(`insert into public.notification_preferences (kind, email) values ('reviews', false)`)
  await owner(db)(`insert into storage.objects (bucket_id, name, owner_id) values ('task-photos', $1, $2)`, [
    photoOfGrace,
    cast.grace,
  ])
  await handIn(db)
  await handInDocument(db)
  // A row that is over: Sam acts in the matrix as anybody does.
  await owner(db)('insert into public.data_exports (user_id) values ($1)', [cast.sam])
  await owner(db)(`insert into public.suspensions (user_id, reason, lifted_at) values ($1, 'Spam', now())`, [
    cast.sam,
  ])
  await owner(db)(
    `insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
     values ('profile', $1, $1, $2, 'An advertisement', 'Theo')`,
    [cast.theo, cast.sam],
  )
})

describe('the matrix is the catalogue', () => {
  it('names every table and view, and grants exactly this', async () => {
    const { rows } = await owner(db)(
      `select c.relname as table, a.attname as column,
         has_column_privilege('anon', c.oid, a.attnum, 'select') as anon_select,
         has_column_privilege('anon', c.oid, a.attnum, 'insert') or has_column_privilege('anon', c.oid, a.attnum, 'update')
           or has_table_privilege('anon', c.oid, 'delete') or has_table_privilege('anon', c.oid, 'truncate') as anon_writes,
         has_column_privilege('authenticated', c.oid, a.attnum, 'select') as select,
         has_column_privilege('authenticated', c.oid, a.attnum, 'insert') as insert,
         has_column_privilege('authenticated', c.oid, a.attnum, 'update') as update,
         has_table_privilege('authenticated', c.oid, 'delete') as delete,
         has_table_privilege('authenticated', c.oid, 'truncate') or has_table_privilege('authenticated', c.oid, 'trigger')
           or has_table_privilege('authenticated', c.oid, 'references') as more
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname <> 'subject'
       order by c.relname, a.attname`,
    )
    expect([...new Set(rows.map((row) => row.table))]).toEqual(Object.keys(matrix).sort())
    for (const row of rows) {
      const { anon, authenticated } = matrix[row.table] as Rules
      expect(row).toEqual({
        table: row.table,
        column: row.column,
        anon_select: anon === 'select',
        anon_writes: false,
        select: authenticated.select === true && !authenticated.unread?.includes(row.column),
        insert: authenticated.insert?.includes(row.column) ?? false,
        update: authenticated.update?.includes(row.column) ?? false,
        delete: authenticated.delete ?? false,
        more: false,
      })
    }
    for (const [table, rules] of Object.entries(matrix)) {
      expect([table, Object.keys(rules.writes ?? {}).sort()]).toEqual([
        table,
        [...(rules.authenticated.update ?? [])].sort(),
      ])
      expect([table, rules.inserts !== undefined]).toEqual([table, rules.authenticated.insert !== undefined])
    }
  })

  it('every table has row-level security, and a policy for each verb that is granted', async () => {
    const { rows } = await owner(db)(
      `select c.relname as table, c.relrowsecurity as secured,
         coalesce((select array_agg(distinct p.polcmd::text order by p.polcmd::text) from pg_policy p where p.polrelid = c.oid), '{}') as verbs
       from pg_class c where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind in ('r', 'p')
         and c.relname <> 'subject' order by 1`,
    )
    for (const row of rows) {
      expect(row).toMatchObject({ secured: true })
      const rules = matrix[row.table]
      if (!rules) continue
      const verbs = { select: 'r', insert: 'a', update: 'w', delete: 'd' } as const
      const granted = Object.entries(verbs).filter(
        ([verb]) => rules.authenticated[verb as keyof typeof verbs],
      )
      expect([row.table, row.verbs]).toEqual([row.table, granted.map(([, letter]) => letter).sort()])
    }
  })

  it('views show what their reader may see, but for those of people and of the chat, which ask themselves', async () => {
    const { rows } = await owner(db)(
      `select relname as view from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
         and coalesce(not 'security_invoker=true' = any (reloptions), true) order by 1`,
    )
    expect(rows.map((row) => row.view)).toEqual(['badges', 'chat_messages', 'public_profiles'])
  })

  it('clients can listen to these tables, whose policies decide what each hears', async () => {
    const { rows } = await owner(db)(
      `select schemaname || '.' || tablename as table from pg_publication_tables where pubname = 'supabase_realtime' order by 1`,
    )
    expect(rows.map((row) => row.table)).toEqual(
      [
        ...[
          'booking_changes',
          'bookings',
          'complaints',
          'messages',
          'no_shows',
          'notifications',
          'payments',
          'task_answers',
          'task_questions',
        ],
        'tasks',
        'time_proposals',
      ].map((table) => `public.${table}`),
    )
  })

  it('functions are called by exactly these roles, and pin their search path or what they mean', async () => {
    const { rows } = await owner(db)(
      `select p.proname as name, n.nspname as schema, p.prosecdef as definer, coalesce('search_path=""' = any (p.proconfig), p.prosqlbody is not null) as pinned,
         concat_ws(' ', case when has_function_privilege('anon', p.oid, 'execute') then 'anon' end,
           case when has_function_privilege('authenticated', p.oid, 'execute') then 'authenticated' end) as callers
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('public', 'private')
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    )
    const exposed = rows.filter((row) => row.schema === 'public')
    expect(Object.fromEntries(exposed.map((row) => [row.name, row.callers]))).toEqual(functions)
    expect(rows.filter((row) => !row.pinned).map((row) => row.name)).toEqual([])
  })
})

/** The provider's bad news about a payment, none of which moves its money. */
async function troubled(payment: string): Promise<void> {
  const object = { amount: 100, payment_intent: `pi_${payment}` }
  await report(db, 'charge.dispute.created', {
    ...object,
    id: 'du_1',
    object: 'dispute',
    status: 'warning_needs_response',
  })
  await report(db, 'refund.failed', { ...object, id: 're_1', object: 'refund', status: 'failed' })
  await owner(db)(`select private.record_failure($1, 'charge', 'Declined')`, [payment])
}

describe.each(stages)('%s', (stage) => {
  beforeAll(() => reach(stage))

  for (const [table, rules] of Object.entries(matrix)) {
    it(`${table}: reading`, async () => {
      expect(await whoMay(`select 1 from public.${table} where ${rules.row}`)).toEqual(
        allowedAt(rules.reads, stage).sort(),
      )
    })
    for (const [column, [value, who]] of Object.entries(rules.writes ?? {})) {
      it(`${table}.${column}: writing`, async () => {
        const update = `update public.${table} set ${column} = ${value} where ${rules.row}`
        expect(await whoMay(update)).toEqual(allowedAt(who, stage).sort())
      })
    }
    if (rules.inserts) {
      const [row, who] = rules.inserts
      it(`${table}: inserting`, async () => {
        const insert = `insert into public.${table} (${Object.keys(row)}) values (${Object.values(row)})`
        expect(await whoMay(insert)).toEqual(allowedAt(who, stage).sort())
      })
    }
    it(`${table}: deleting`, async () => {
      expect(await whoMay(`delete from public.${table} where ${rules.row}`)).toEqual(
        allowedAt(rules.deletes, stage).sort(),
      )
    })
  }
})

/** People who get at least one row out of this statement; its changes are undone. */
async function whoMay(statement: string): Promise<string[]> {
  const may: string[] = []
  for (const person of people) {
    const client = await db.database.pool.connect()
    try {
      await client.query('begin')
      await become(client, person)
      const { rowCount } = await client.query(statement)
      if (rowCount) may.push(person)
    } catch {
      // Refused: which is what is being asked.
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  return may.sort()
}

async function become(client: pg.PoolClient, person: Persona): Promise<void> {
  const role = person === 'anonymous' ? 'anon' : 'authenticated'
  await client.query(`set local role ${role}`)
  const claims = { role, ...(person === 'anonymous' ? {} : { sub: cast[person], aal: 'aal2' }) }
  await client.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
}

async function remember(name: string, id: string): Promise<void> {
  await owner(db)('insert into public.subject values ($1, $2) on conflict (name) do update set id = $2', [
    name,
    id,
  ])
}

/** Leads the one booking to this stage, from the one before. */
async function reach(stage: Stage): Promise<void> {
  if (stage === 'posted') {
    const task = await postTask(db, { amount: 80 })
    await remember('task', task)
    await tryInsert(db, 'grace', 'task_addresses', { task_id: task, address: 'Temperance Street 1114' })
    await tryInsert(db, 'grace', 'task_points', { task_id: task, latitude: 52.13, longitude: -106.65 })
    const question = randomUUID()
    const asked = { id: question, task_id: task, asker_id: cast.theo, question: 'Is it steep?' }
    await tryInsert(db, 'theo', 'task_questions', asked)
    await tryInsert(db, 'grace', 'task_answers', {
      question_id: question,
      giver_id: cast.grace,
      answer: 'No',
    })
    await remember('question', question)
    return
  }
  if (stage === 'applied') {
    const { rows } = await owner(db)(`select id from public.subject where name = 'task'`)
    booking = await apply(db, rows[0].id)
    await remember('booking', booking.id)
    return
  }
  if (!booking) throw new Error('stages are reached in order')
  if (stage === 'accepted') {
    await move(db, booking, cast.grace, 'accepted')
    await as(db, 'grace')('select public.prepare_payment($1)', [booking.id])
    await tryInsert(db, 'grace', 'messages', {
      booking_id: booking.id,
      sender_id: cast.grace,
      receiver_id: cast.theo,
      message: 'Hi',
    })
    const proposed = {
      booking_id: booking.id,
      proposed_by: cast.theo,
      starts_at: new Date(Date.now() + 86_400_000),
    }
    await tryInsert(db, 'theo', 'time_proposals', proposed)
  }
  if (stage === 'completed') {
    await troubled(await pay(db, booking))
    await propose(db, booking, 'increase', 20)
    await move(db, booking, cast.theo, 'completed')
    await tryInsert(db, 'grace', 'reviews', { booking_id: booking.id, reviewer_id: cast.grace, rating: 4 })
  }
  if (stage === 'complained') {
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still there.',
    })
  }
}
