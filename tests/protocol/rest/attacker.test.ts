// Sam, a stranger with a valid token, against Grace and Theo's job: whatever supabase-js can say, nothing of theirs is
// read, counted, changed or taken over.
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Booking, bookingAt, openPayoutAccount } from '../../database/lives.ts'
import { makeAccount, signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let sam: SupabaseClient
let id: Record<'grace' | 'theo' | 'sam', string>
let job: Booking
/** Everything that is in the database and not Sam's, before the attack. */
let before: string

const secrets = [
  '+13065550111',
  'Temperance Street 1114',
  'Theodore Secret',
  'pm_grace',
  'Nobody else reads this',
]
const tables = [
  'audit_log bookings complaints conversations ledger_entries messages notifications payment_methods payments',
  'payout_accounts profiles stripe_events task_addresses user_roles verifications',
].flatMap((line) => line.split(' '))

const sql = async (text: string, values: unknown[] = []) =>
  (await server.database.pool.query(text, values)).rows

/** Views that join or compute. */
const views = ['conversations', 'badges']

/** All rows of the tables, as text; what time alone changes is left out. */
async function everything(): Promise<string> {
  const kept = [
    'profiles',
    'user_roles',
    'verifications',
    'bookings',
    'payments',
    'messages',
    'notifications',
    'tasks',
  ]
  const parts = [...kept, 'task_addresses', 'payout_accounts', 'payment_methods', 'reviews'].map(
    (table) => `(select json_agg(t order by t::text) from public.${table} t)`,
  )
  const [row] = await sql(`select concat_ws('', ${parts.join(', ')}) as all`)
  return row.all
}

beforeAll(async () => {
  server = await startTestServer()
  id = {
    grace: await makeAccount(server, 'grace'),
    theo: await makeAccount(server, 'theo'),
    sam: await makeAccount(server, 'sam'),
  }
  sam = await signedIn(server, 'sam')
  const db = { ...server, drop: async () => {} } as never
  job = await bookingAt(db, 'in_progress', { giver: id.grace, tasker: id.theo })
  await openPayoutAccount(db, id.theo)
  await sql(`update public.profiles set phone = $1 where id <> $2`, [secrets[0], id.sam])
  await sql('insert into public.task_addresses values ($1, $2)', [job.taskId, secrets[1]])
  await sql(
    `insert into public.verifications (user_id, terms_accepted, privacy_accepted, legal_name, date_of_birth, id_type)
     values ($1, true, true, $2, '1990-01-01', 'passport')`,
    [id.theo, secrets[2]],
  )
  await sql(`insert into public.payment_methods (user_id, stripe_payment_method_id) values ($1, $2)`, [
    id.grace,
    secrets[3],
  ])
  await sql(
    'insert into public.messages (booking_id, sender_id, receiver_id, message) values ($1, $2, $3, $4)',
    [job.id, id.grace, id.theo, secrets[4]],
  )
  before = await everything()
})
afterAll(() => server?.stop())

/** The API's answer without the request: bodies, counts and errors. */
async function answer(request: PromiseLike<unknown>): Promise<string> {
  const { data, count, error } = (await request) as Record<string, unknown>
  return JSON.stringify({ data, count, error })
}

function expectNothing(said: string): void {
  for (const secret of [...secrets, job.id, 'grace@example.com', 'theo@example.com']) {
    expect(said).not.toContain(secret)
  }
}

describe('reading', () => {
  it.each(tables)('%s: only what is Sam’s', async (table) => {
    expectNothing(await answer(sam.from(table).select('*')))
    expectNothing(await answer(stranger(server).from(table).select('*')))
  })

  it('is there for those it belongs to', async () => {
    const seen: string[] = []
    for (const person of ['grace', 'theo'] as const) {
      const client = await signedIn(server, person)
      for (const table of tables) seen.push(await answer(client.from(table).select('*')))
    }
    for (const secret of [...secrets, job.id, 'theo@example.com']) expect(seen.join()).toContain(secret)
  })

  it('counts and filters tell nothing of rows that are not shown', async () => {
    const asked: [table: string, column: string, operator: string, value: string][] = [
      ['profiles', 'email', 'eq', 'grace@example.com'],
      ['profiles', 'phone', 'like', '+1306*'],
      ['verifications', 'legal_name', 'ilike', '*secret*'],
      ['payments', 'amount', 'gte', '0'],
      ['messages', 'message', 'fts', 'nobody'],
      ['task_addresses', 'address', 'match', 'Temperance'],
      ['payout_accounts', 'bank_last4', 'eq', '6789'],
      ['user_roles', 'user_id', 'eq', id.grace],
    ]
    for (const [table, column, operator, value] of asked) {
      for (const head of [true, false]) {
        const query = sam.from(table).select('*', { count: 'exact', head }).filter(column, operator, value)
        expect([table, (await query).count ?? 0]).toEqual([table, 0])
      }
    }
    expect(await answer(sam.from('profiles').select('email').order('phone'))).toContain('sam@example.com')
  })

  it('embedding leads nowhere that reading does not', async () => {
    const people =
      'profiles(email,phone,verifications(*),payment_methods(*),payout_accounts(*),notifications(*),user_roles(*))'
    for (const [table, select] of [
      ['tasks', `*,task_addresses(*)`],
      ['tasks', `*,bookings(*,messages(*),payments(*))`],
      ['tasks', `*,${people}`],
      ['public_profiles', '*,verifications!verifications_user_id_fkey(*)'],
      ['public_profiles', '*,user_roles(*)'],
      ['public_profiles', '*,payout_accounts(*)'],
      ['public_profiles', '*,notifications(*)'],
      ['public_profiles', '*,email,phone'],
      ['badges', '*,profiles(*)'],
      ['reviews', '*,bookings(*,payments(*))'],
    ] as const) {
      expectNothing(await answer(sam.from(table).select(select)))
      expectNothing(
        await answer(
          sam
            .from(table)
            .select(select.replaceAll('(', '!inner(').replace('!verifications_user_id_fkey!inner', '!inner')),
        ),
      )
    }
    for (const call of ['search_tasks', 'find_taskers', 'recommended_tasks']) {
      expectNothing(await answer(sam.rpc(call).select(`*,${people}`)))
      expectNothing(await answer(sam.rpc(call).select('*,task_addresses(*),bookings(*)')))
      expectNothing(await answer(sam.rpc(call).select('*,verifications(*),user_roles(*)')))
    }
  })

  it('no aggregates, no plans, no other schemas', async () => {
    for (const select of ['count()', 'amount.sum()', 'total.max()']) {
      const { data, error } = await sam.from('payments').select(select)
      expect(data ?? []).toEqual(error ? [] : expect.not.arrayContaining([{ count: 1 }]))
    }
    const plan = await sam.from('profiles').select('*').explain({ analyze: true })
    expect(plan.error).not.toBe(null)
    for (const schema of [
      'auth',
      'private',
      'storage',
      'graphile_worker',
      'pgmq',
      'net',
      'cron',
      'realtime',
      'sandbox',
      'extensions',
      'vault',
    ]) {
      const { data, error } = await sam
        .schema(schema as never)
        .from('users')
        .select('*')
      expect([schema, data, error?.code]).toEqual([schema, null, 'PGRST106'])
      expect((await sam.schema(schema as never).rpc('settle_payment')).error?.code).toBe('PGRST106')
    }
  })
})

describe('writing', () => {
  it('every upsert and update on rows of others changes nothing', async () => {
    const rows: [table: string, row: Record<string, unknown>, conflict?: string][] = [
      ['profiles', { id: id.grace, full_name: 'Sam Was Here' }, 'id'],
      ['profiles', { id: id.sam, rating: 5, trust_score: 100 }, 'id'],
      ['user_roles', { user_id: id.sam, role: 'admin' }, 'user_id,role'],
      ['verifications', { user_id: id.theo, legal_name: 'Sam' }, 'user_id'],
      ['verifications', { user_id: id.sam, verification_status: 'verified', id_verified: true }, 'user_id'],
      ['tasks', { id: job.taskId, task_giver_id: id.sam, title: 'Taken over', status: 'open' }, 'id'],
      ['task_addresses', { task_id: job.taskId, address: 'Elsewhere 1' }, 'task_id'],
      ['bookings', { id: job.id, status: 'completed' }, 'id'],
      ['bookings', { task_id: job.taskId, task_doer_id: id.sam, status: 'accepted' }, 'task_id,task_doer_id'],
      ['payments', { booking_id: job.id, escrow_status: 'released' }, 'booking_id'],
      ['messages', { booking_id: job.id, sender_id: id.sam, receiver_id: id.theo, message: 'Hi' }],
      ['notifications', { user_id: id.grace, title: 'Pay here', message: 'x', key: 'x' }],
      ['payout_accounts', { user_id: id.theo, stripe_account_id: 'acct_sam', bank_last4: '1111' }, 'user_id'],
      ['payment_methods', { user_id: id.grace, stripe_payment_method_id: 'pm_sam' }],
      ['complaints', { booking_id: job.id, reason: 'I would like the money, please.' }],
      ['reviews', { booking_id: job.id, reviewer_id: id.sam, reviewee_id: id.theo, rating: 1 }],
      ['ledger_entries', { payment_id: job.id, account: 'tasker', amount: 1 }],
      ['audit_log', { table_name: 'x' }],
      ['stripe_events', { id: 'evt_sam', type: 'payment_intent.succeeded', payload: {} }],
      ['public_profiles', { id: id.sam, rating: 5 }, 'id'],
      ['conversations', { booking_id: job.id, last_message: 'x' }],
      ['badges', { user_id: id.sam, badge: 'top_rated' }],
    ]
    for (const [table, row, onConflict] of rows) {
      for (const ignoreDuplicates of [true, false]) {
        const upsert = sam.from(table).upsert(row, { onConflict, ignoreDuplicates })
        const { status } = await upsert
        expect([table, [401, 403, 404, 405, 400, 409].includes(status)]).toEqual([table, true])
        if (views.includes(table)) expect([table, status]).toEqual([table, 405])
      }
      expectNothing(await answer(sam.from(table).insert(row).select()))
      const [key, value] = Object.entries(row)[0] as [string, string]
      expectNothing(await answer(sam.from(table).update(row).eq(key, value).select()))
      expectNothing(await answer(sam.from(table).delete().eq(key, value).select()))
    }
    expect(await everything()).toBe(before)
  })

  it('no function acts for a stranger, whatever its arguments', async () => {
    const calls: [name: string, args: Record<string, unknown>][] = [
      ['prepare_payment', { booking_id: job.id }],
      ['prepare_payment', { booking_id: null }],
      ['prepare_cancellation', { booking_id: job.id }],
      ['cancel_booking', { booking_id: job.id, reason: 'x' }],
      ['cancel_booking', { booking_id: null }],
      ['decide_complaint', { complaint_id: job.id, decision: 'refund', returned_amount: 'NaN' }],
      ['decide_loss', { payment_id: job.id, decision: 'carry_on' }],
      ['decide_loss', { payment_id: null, decision: 'split', returned_amount: 'NaN' }],
      [
        'record_stripe_event',
        { event: { id: 'evt_1', type: 'payment_intent.succeeded', data: { object: {} } } },
      ],
      ['record_payment_intent', { payment_id: job.id, intent: { id: 'pi', status: 'succeeded' } }],
      ['attach_payment_intent', { payment_id: job.id, payment_intent_id: 'pi' }],
      ['finish_payout', { payment_id: job.id, transfer_id: 'tr' }],
      ['finish_refund', { payment_id: job.id, refund_id: 're' }],
      ['run_scheduled', {}],
      ['overdue_intents', {}],
      ['settle_payment', { payment: job.id }],
      ['set_actor', { actor: 'payment' }],
      ['set_config', { setting_name: 'request.jwt.claims', new_value: '{}', is_local: true }],
      ['pg_read_file', { filename: '/etc/passwd' }],
      [
        'search_tasks',
        { query: null, max_results: -1, skip: -5, min_pay: 'NaN', sort: 'newest; drop table tasks' },
      ],
      [
        'search_tasks',
        { query: `%' or true --`, category: `x' or '1'='1`, location: `\\' or 1=1`, max_results: 2147483647 },
      ],
      ['find_taskers', { query: `%' or true --`, max_results: -1, skip: -1 }],
      ['recommended_tasks', { query: `" or ""`, category: `' or ''='`, max_results: null }],
    ]
    for (const [name, args] of calls) {
      for (const client of [sam, stranger(server)]) {
        const result = await client.rpc(name, args)
        expect([name, result.status]).not.toEqual([name, 500])
        expectNothing(JSON.stringify(result.data))
      }
    }
    expect(await everything()).toBe(before)
  })
})
