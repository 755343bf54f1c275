// Queries of the back office: people by name or address, page by page; pending work; the chat of a complaint.
import { describe, expect, it } from 'vitest'
import { bookingAt, handIn, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()

const strangers = ['grace', 'theo', 'sam', 'anonymous'] as const
const ask = async (sql: string, values: unknown[] = [], by: Persona = 'ada') =>
  (await as(db, by)(sql, values)).rows

it('is nobody’s but the admins’', async () => {
  for (const call of [
    'select * from public.find_people()',
    'select * from public.find_people_to_verify()',
    'select * from public.find_disputes()',
    'select * from public.admin_overview()',
    `select * from public.complaint_messages('${cast.ada}')`,
  ])
    for (const person of strangers)
      expect(await refusal(ask(call, [], person))).toMatch(/^Only admins|permission denied/)
})

describe('people', () => {
  const find = async (query: string, filter = 'everyone') =>
    (await ask('select full_name from public.find_people($1, $2)', [query, filter])).map(
      (row) => row.full_name,
    )

  it('are found by words of name, e-mail and phone, and by filter', async () => {
    await owner(db)(`update public.profiles set phone = '+13065550155' where id = $1`, [cast.sam])
    expect((await find('')).length).toBe(4)
    expect(await find('grace')).toEqual(['Grace Giver'])
    expect(await find('sam@example stranger')).toEqual(['Sam Stranger'])
    expect(await find('5550155')).toEqual(['Sam Stranger'])
    // A whole address is its owner's alone, and a part of it everybody's who has it.
    const other = await signUp(db, { name: 'Xsam Stranger', role: 'task_giver' })
    expect(await find('SAM@example.com')).toEqual(['Sam Stranger'])
    expect(await find('sam@example.com grace')).toEqual([])
    expect((await find('sam@example')).sort()).toEqual(['Sam Stranger', 'Xsam Stranger'])
    await owner(db)('delete from auth.users where id = $1', [other])
    expect(await find('%')).toEqual([])
    expect(await find('', 'admin')).toEqual(['Ada Admin'])
    expect(await find('', 'task_doer')).toEqual(['Theo Tasker'])
    await ask(`select public.suspend_person($1, 'Spam in chats')`, [cast.sam])
    expect(await find('', 'suspended')).toEqual(['Sam Stranger'])
    expect(await find('grace', 'suspended')).toEqual([])
    await ask('select public.lift_suspension($1)', [cast.sam])
    expect(await refusal(find('', 'whoever'))).toMatch(/^Filter must be/)
  })

  it('are paged by the last row, each of them once, also where many came at one moment', async () => {
    const at = new Date().toISOString()
    for (let n = 0; n < 7; n++) await signUp(db, { name: `Nell${n} Newcomer`, role: 'task_giver' })
    await owner(db)(`update private.profiles set created_at = $1 where full_name like 'Nell%'`, [at])
    const seen: string[] = []
    for (let last: { created_at: string; id: string } | undefined; ; ) {
      const page = await ask(
        'select id, full_name, created_at::text from public.find_people($1, $2, $3, $4, 3)',
        ['nell', 'everyone', last?.created_at ?? null, last?.id ?? null],
      )
      seen.push(...page.map((row) => row.full_name))
      last = page.at(-1) as typeof last
      if (page.length < 3) break
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `Nell${n} Newcomer`))
  })
})

describe('people to verify', () => {
  it('are everybody, the newest first, or who waits, the longest first, page by page', async () => {
    const waiting: string[] = []
    for (let n = 0; n < 5; n++) {
      const id = await signUp(db, { name: `Ned${n} Newcomer`, role: 'task_doer' })
      // As if handed in then: the triggers would say now.
      await owner(db)(
        `begin; set local session_replication_role = replica; insert into public.verifications
         (user_id, legal_name, date_of_birth, id_type, updated_at) values ('${id}', 'Ned', '2000-01-01', 'passport', '2026-01-0${1 + Math.floor(n / 2)}'); commit`,
      )
      waiting.push(`Ned${n} Newcomer`)
    }
    const find = async (query: string, isWaiting: boolean, size = 100) => {
      const names: string[] = []
      for (let last: { place: string; id: string } | undefined; ; ) {
        const page = await ask(
          `select full_name, id, place::text, waiting_since from public.find_people_to_verify($1, $2, $3, $4, $5)`,
          [query, isWaiting, last?.place ?? null, last?.id ?? null, size],
        )
        names.push(...page.map((row) => row.full_name))
        last = page.at(-1) as typeof last
        if (page.length < size) return names
      }
    }
    const all = await find('', true)
    expect([...all].sort()).toEqual(waiting)
    expect(all[4]).toBe('Ned4 Newcomer')
    expect(await find('ned newcomer', true, 2)).toEqual(all)
    const everybody = await find('', false)
    expect(everybody).toEqual(
      (await ask('select full_name from public.find_people()')).map((p) => p.full_name),
    )
    expect(await find('', false, 2)).toEqual(everybody)
    expect(await find('ned3', false)).toEqual(['Ned3 Newcomer'])
    expect(await find('grace', true)).toEqual([])
  })
})

describe('a case', () => {
  it('shows its chat and its photos to admins; no other chat', async () => {
    const [about, other] = [await bookingAt(db, 'completed'), await bookingAt(db, 'completed')]
    const photo = `${about.id}/${cast.sam}.jpg`
    for (const { id } of [about, other])
      await tryInsert(db, 'theo', 'messages', {
        booking_id: id,
        sender_id: cast.theo,
        receiver_id: cast.grace,
        message: `About ${id}`,
      })
    for (const { id } of [about, other])
      await owner(db)(`insert into storage.objects (bucket_id, name) values ('chat-photos', $1)`, [
        `${id}/${cast.sam}.jpg`,
      ])
    const reason = 'The walk is still covered.'
    expect(await tryInsert(db, 'grace', 'complaints', { booking_id: about.id, reason })).toBeNull()
    const [complaint] = await ask('select id from public.complaints where booking_id = $1', [about.id])
    const messages = await ask('select message, sender_id from public.complaint_messages($1)', [
      complaint?.id,
    ])
    expect(messages).toEqual([{ message: `About ${about.id}`, sender_id: cast.theo }])
    expect(await ask('select from public.messages')).toEqual([])
    expect(await ask(`select name from storage.objects where bucket_id = 'chat-photos'`)).toEqual([
      { name: photo },
    ])
    expect(await ask(`select from storage.objects where bucket_id = 'chat-photos'`, [], 'sam')).toEqual([])
  })
})

it('the overview counts what waits', async () => {
  await handIn(db)
  const rows = await ask('select kind, count::int, oldest is not null as dated from public.admin_overview()')
  const of = (kind: string) => rows.find((row) => row.kind === kind)
  expect(of('verifications')).toMatchObject({ count: 6, dated: true })
  expect(of('complaints')).toMatchObject({ count: 1, dated: true })
  for (const kind of ['losses', 'chargebacks', 'not_sent', 'suspended'])
    expect(of(kind)).toMatchObject({ count: 0, dated: false })
  await owner(db)(
    `update public.payments set payout_status = 'failed' where id = (select id from public.payments limit 1)`,
  )
  const stuck = await ask(`select count::int from public.admin_overview() where kind = 'not_sent'`)
  expect(stuck).toEqual([{ count: 1 }])
})
