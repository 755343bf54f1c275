// Data exports: who asks for one and when, what is in it, who reads it, and how it ends.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bookingAt, handIn, list, postTask, release, tryInsert } from './lives.ts'
import { as, asService, asSession, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

type Sections = Record<string, Record<string, unknown>[]>

const report = (person: Persona, kind: string, subject: string) =>
  as(db, person)('select public.report_content($1, $2, $3)', [kind, subject, 'This is an advertisement.'])
const request = (person: Persona) => as(db, person)('select public.request_data_export()')
const exportsOf = async (person: Persona) =>
  (await as(db, person)('select * from public.data_exports order by requested_at desc')).rows
const begin = async (id: string) =>
  (await asService(db)('select public.begin_data_export($1) as due', [id])).rows[0].due
const finish = async (id: string, part: number, file: string, last: object | null = null) =>
  (await asService(db)('select public.finish_data_export($1, $2, $3, $4) as ok', [id, part, file, last]))
    .rows[0].ok
const dataOf = async (person: string): Promise<Sections> =>
  (await asService(db)('select public.data_of_person($1) as data', [person])).rows[0].data
const put = (bucket: string, name: string, person: string, size = 10) =>
  owner(db)(
    `insert into storage.objects (bucket_id, name, owner_id, metadata) values ($1, $2, $3, jsonb_build_object('size', $4::int))`,
    [bucket, name, person, size],
  )
const timePasses = async () => {
  while ((await asService(db)('select public.run_scheduled() as n')).rows[0].n > 0);
}
const oldFiles = async () =>
  (await asService(db)('select * from public.old_export_files()')).rows.map(({ name }) => name)

/** Asked for, and made with one file. */
async function readyExport(person: 'grace' | 'theo'): Promise<{ id: string; file: string }> {
  await request(person)
  const { id } = (await exportsOf(person))[0]
  await begin(id)
  const file = `${cast[person]}/${id}/${randomUUID()}.zip`
  await put('data-exports', file, cast[person], 321)
  expect(await finish(id, 1, file)).toBe(true)
  return { id, file }
}

describe('an export', () => {
  it('is asked for once a day, queues its job, and can be asked for again once it failed', async () => {
    await expect(request('anonymous')).rejects.toThrow(/permission denied/)
    await request('grace')
    const [asked] = await exportsOf('grace')
    expect(asked).toMatchObject({ status: 'requested', files: [], ready_at: null })
    const { rows } = await owner(db)(
      `select message -> 'body' as body from pgmq.q_effects where message ->> 'function' = 'export-data'`,
    )
    expect(rows).toEqual([{ body: { export_id: asked.id } }])
    await expect(request('grace')).rejects.toThrow('You can request your data once a day')
    await request('theo')

    for (let tries = 0; tries < 8; tries++)
      expect(await begin(asked.id)).toMatchObject({ person: cast.grace, part: 1 })
    expect(await begin(asked.id)).toBeNull()
    expect(await exportsOf('grace')).toMatchObject([{ status: 'failed' }])
    const { rows: notices } = await as(db, 'grace')('select key, link from public.notifications')
    expect(notices).toEqual([{ key: 'data_export_failed', link: '/profile?tab=security' }])
    await request('grace')
    expect(await exportsOf('grace')).toMatchObject([{ status: 'requested' }, { status: 'failed' }])
  })

  it('is read by its owner alone, neither row nor file by anybody else', async () => {
    await owner(db)('update auth.users set email_confirmed_at = now()')
    const { file } = await readyExport('grace')
    const files = (person: Persona) =>
      as(db, person)(`select name from storage.objects where bucket_id = 'data-exports'`)
    expect(await exportsOf('grace')).toMatchObject([{ status: 'ready', files: [file], size: '321' }])
    expect((await files('grace')).rows).toEqual([{ name: file }])
    for (const person of ['theo', 'ada', 'sam', 'anonymous'] as const) {
      expect((await files(person)).rows).toEqual([])
      if (person !== 'anonymous') expect(await exportsOf(person)).toEqual([])
    }
    await expect(exportsOf('anonymous')).rejects.toThrow(/permission denied/)
    // Nobody puts a file there, and none of the functions that make one is theirs to call.
    await expect(
      as(db, 'grace')(`insert into storage.objects (bucket_id, name) values ('data-exports', $1)`, [
        `${cast.grace}/mine.zip`,
      ]),
    ).rejects.toThrow(/row-level security/)
    for (const call of [
      'data_of_person(auth.uid())',
      'begin_data_export(auth.uid())',
      `finish_data_export(auth.uid(), 1, '', null)`,
      'old_export_files()',
    ]) {
      await expect(as(db, 'grace')(`select public.${call}`)).rejects.toThrow(/permission denied/)
    }
    const { rows } = await as(db, 'grace')('select key, message from public.notifications')
    expect(rows).toMatchObject([{ key: 'data_export_ready', message: expect.stringContaining('7 days') }])
    const mails = await owner(db)(
      `select from private.email_events where key = 'data_export_ready' and person_id = $1`,
      [cast.grace],
    )
    expect(mails.rowCount).toBe(1)
  })

  it('goes on in parts of 30 MB, also after a try that was lost, and leaves no photo out', async () => {
    for (const [nth, size] of [10, 15, 20, 5].entries())
      await put('profile-photos', `${cast.theo}/${nth}.jpg`, cast.theo, size * 1024 * 1024)
    await request('theo')
    const { id } = (await exportsOf('theo'))[0]
    const names = (due: { files: { name: string }[] }) => due.files.map(({ name }) => name.slice(37))
    const first = await begin(id)
    expect(names(first)).toEqual(['0.jpg', '1.jpg'])
    expect(names(await begin(id))).toEqual(['0.jpg', '1.jpg'])
    expect(await finish(id, 1, 'a.zip', first.files.at(-1))).toBe(true)
    expect(await finish(id, 1, 'b.zip', first.files.at(-1))).toBe(false)
    const second = await begin(id)
    expect(second.part).toBe(2)
    expect(names(second)).toEqual(['2.jpg', '3.jpg'])
    expect(await exportsOf('theo')).toMatchObject([{ status: 'requested' }])
    expect(await finish(id, 2, 'c.zip', second.files.at(-1))).toBe(true)
    expect(await exportsOf('theo')).toMatchObject([{ status: 'ready', files: ['a.zip', 'c.zip'] }])
  })

  it('ends after seven days or with a newer one: its files are to be removed and nobody’s any more', async () => {
    const { id, file } = await readyExport('grace')
    expect(await oldFiles()).toEqual([])
    await owner(db)(
      `update public.data_exports set requested_at = now() - interval '2 days' where user_id = $1`,
      [cast.grace],
    )
    await request('grace')
    expect((await exportsOf('grace')).map(({ status }) => status)).toEqual(['requested', 'expired'])
    expect(await oldFiles()).toEqual([file])
    expect(await begin(id)).toBeNull()

    const theos = await readyExport('theo')
    await owner(db)(`update public.data_exports set expires_at = now() where user_id = $1`, [cast.theo])
    expect(
      (await as(db, 'theo')(`select from storage.objects where bucket_id = 'data-exports'`)).rowCount,
    ).toBe(0)
    await timePasses()
    expect(await exportsOf('theo')).toMatchObject([{ status: 'expired', files: [] }])
    expect((await oldFiles()).sort()).toEqual([file, theos.file].sort())
  })

  it('goes with its person: the row at once, the files by the job that erases them', async () => {
    const { id, file } = await readyExport('grace')
    await asSession(db, 'grace', randomUUID())(`select public.delete_account('grace@example.com')`)
    expect((await owner(db)('select from public.data_exports')).rowCount).toBe(0)
    expect(await begin(id)).toBeNull()
    const files = await asService(db)('select name from public.files_of_person($1, 100)', [cast.grace])
    expect(files.rows).toEqual([{ name: file }])
  })
})

describe('contents of an export', () => {
  it('is every table that has rows of a person', async () => {
    const { rows } = await owner(db)(
      `select distinct t.relnamespace::regnamespace || '.' || t.relname as name
       from pg_constraint c join pg_class t on t.oid = c.conrelid
       where c.contype = 'f' and c.confrelid in ('auth.users'::regclass, 'private.profiles'::regclass)
         and t.relnamespace::regnamespace::text in ('public', 'private')`,
    )
    const text = (await owner(db)(`select pg_get_functiondef('public.data_of_person'::regproc) as text`))
      .rows[0].text
    // E-mails are listed by their events; the others hold no more than keys of rows that are there.
    const left = ['private.emails', 'private.unsubscribe_tokens', 'private.profiles']
    // Hashes that keep a sign-in safe, and its counts, are nobody's to download.
    left.push('private.recovery_codes', 'private.recovery_attempts', 'private.admins_without_second_factor')
    // How often somebody did something today.
    left.push('private.activity_counts')
    // That a role is still to be chosen.
    left.push('private.unfinished_accounts')
    const missing = rows
      .map(({ name }) => name)
      .filter((name) => !left.includes(name) && !text.includes(`${name} `))
    expect(rows.length).toBeGreaterThan(15)
    expect(missing).toEqual([])
  })

  it('is one’s own side of a job and not what the other keeps to themselves', async () => {
    await handIn(db)
    const done = await bookingAt(db, 'completed')
    await owner(db)(`insert into public.task_addresses (task_id, address) values ($1, 'Temperance 1114')`, [
      done.taskId,
    ])
    await release(db, done)
    await tryInsert(db, 'grace', 'favourites', { user_id: cast.grace, tasker_id: cast.theo })
    const review = { booking_id: done.id, reviewer_id: cast.grace, reviewee_id: cast.theo, rating: 2 }
    await tryInsert(db, 'grace', 'reviews', { ...review, comment: 'Half done' })
    await owner(db)(
      `insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
       values ('profile', $1, $1, $2, 'I know him from school', 'Carpenter')`,
      [cast.theo, cast.grace],
    )
    await as(db, 'ada')(
      `update public.profiles set verification_notes = 'Smells of whisky' where id = any ($1)`,
      [[cast.theo, cast.grace]],
    )
    const [grace, theo] = [await dataOf(cast.grace), await dataOf(cast.theo)]
    expect(grace.account).toMatchObject([{ email: 'grace@example.com' }])
    expect(grace.profile).toMatchObject([{ full_name: 'Grace Giver' }])
    expect(grace.tasks).toMatchObject([{ id: done.taskId, address: 'Temperance 1114' }])
    expect(grace.bookings).toMatchObject([{ id: done.id, task_title: 'Clear the driveway' }])
    expect(grace.payments).toHaveLength(1)
    expect(grace.receipts_and_statements).toMatchObject([{ kind: 'receipt' }])
    expect(grace.favourites).toHaveLength(1)
    expect(grace.reviews_written).toMatchObject([{ comment: 'Half done' }])
    expect(grace.reports_made).toMatchObject([{ reason: 'I know him from school' }])
    expect(theo.receipts_and_statements).toMatchObject([{ kind: 'statement' }])
    expect(theo.verification).toMatchObject([{ user_id: cast.theo }])
    expect(theo.tasks).toBeUndefined()
    // Blind until he has written his own; who reported him is for admins.
    expect(theo.reviews_received).toBeUndefined()
    // One that nobody has decided is not for him to know of.
    expect(theo.reports_about_me).toBeUndefined()
    for (const secret of ['Half done', 'Temperance', 'school', 'favourite', 'whisky', 'Carpenter', cast.ada])
      expect([secret, JSON.stringify(theo).includes(secret)]).toEqual([secret, false])
    for (const secret of ['whisky', 'Carpenter'])
      expect([secret, JSON.stringify(grace).includes(secret)]).toEqual([secret, false])
    await as(db, 'ada')('select public.decide_report((select id from public.reports limit 1), true, $1)', [
      'No advertisements',
    ])
    expect((await dataOf(cast.theo)).reports_about_me).toEqual([
      {
        kind: 'profile',
        subject_id: cast.theo,
        excerpt: 'Carpenter',
        decision_note: 'No advertisements',
        decided_at: expect.anything(),
      },
    ])
    expect((await dataOf(cast.sam)).messages).toBeUndefined()
  })

  it('holds no row of a table that the person could not read themselves', async () => {
    await list(db)
    await handIn(db)
    const done = await bookingAt(db, 'completed')
    await release(db, done)
    for (const [writer, text] of [
      [cast.grace, 'To be hidden'],
      [cast.theo, 'Hello'],
    ] as const)
      await owner(db)(
        `insert into public.messages (booking_id, sender_id, receiver_id, message) values ($1, $2, $3, $4)`,
        [done.id, writer, writer === cast.grace ? cast.theo : cast.grace, text],
      )
    await owner(db)(`update public.messages set hidden_at = now() where message = 'To be hidden'`)
    for (const reviewer_id of [cast.grace, cast.theo])
      await tryInsert(db, reviewer_id, 'reviews', { booking_id: done.id, reviewer_id, rating: 4 })
    await owner(db)('update public.reviews set hidden_at = now() where reviewer_id = $1', [cast.grace])
    // Theo is asked first, and then the task is hidden.
    await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, asked_tasker_id)
       values ($1, 'Words to be hidden', 'Which are about somebody else.', 'Cleaning', 'Regina', 50, $2)`,
      [cast.grace, cast.theo],
    )
    await owner(db)(`update public.tasks set hidden_for = 'report' where title = 'Words to be hidden'`)
    await owner(db)(`delete from public.notifications where key = 'task_asked'`)
    await report('theo', 'task', await postTask(db))

    const tables: Record<string, string> = {
      profile: 'profiles',
      roles: 'user_roles',
      verification: 'verifications',
      requests_received: 'tasks',
      payment_failures: 'payment_failures',
      receipts_and_statements: 'receipts',
      reviews_written: 'reviews',
      reviews_received: 'reviews',
      reports_made: 'reports',
      travel_area: 'travel_areas',
    }
    // Data that the service keeps about the person alone, and shows otherwise than as rows of a table.
    const own =
      'account sign_in_methods second_factors sessions payment_customer emails activity reports_about_me reported_emails suppressed_address'
    for (const person of ['grace', 'theo', 'sam'] as const) {
      for (const [section, rows] of Object.entries(await dataOf(cast[person]))) {
        if (own.split(' ').includes(section)) continue
        const columns =
          section === 'reports_made' ? 'kind, subject_id, reason, status, created_at, decided_at' : '*'
        const { rows: read } = await as(
          db,
          person,
        )(`select to_jsonb(r) as row from (select ${columns} from public.${tables[section] ?? section}) r`)
        for (const row of rows) {
          for (const added of ['address', 'point', 'task_title', 'push_service']) delete row[added]
          const found = read.some(({ row: whole }) =>
            Object.entries(row).every(([key, value]) => isDeepStrictEqual(whole[key], value)),
          )
          expect({ person, section, row, found }).toMatchObject({ found: true })
        }
      }
    }
    expect(JSON.stringify(await dataOf(cast.theo))).not.toContain('Words to be hidden')
  })

  it('is the files of both sides, but neither photos of hidden messages nor of others’ bookings', async () => {
    const job = await bookingAt(db, 'in_progress')
    const photo = (nth: number) => `${job.id}/00000000-0000-4000-8000-00000000000${nth}.jpg`
    for (const [nth, sender] of [cast.theo, cast.theo, cast.grace].entries()) {
      await put('chat-photos', photo(nth), sender)
      await owner(db)(
        `insert into public.messages (id, booking_id, sender_id, receiver_id, message, photo) values ($1, $2, $3, $4, '', $5)`,
        [photo(nth).slice(37, -4), job.id, sender, sender === cast.theo ? cast.grace : cast.theo, photo(nth)],
      )
    }
    await owner(db)('update public.messages set hidden_at = now() where photo = $1', [photo(1)])
    const files = async (person: string) =>
      (await owner(db)('select name from private.files_to_export($1) order by name', [person])).rows.map(
        ({ name }) => name,
      )
    expect(await files(cast.grace)).toEqual([photo(0), photo(2)])
    expect(await files(cast.theo)).toEqual([photo(0), photo(1), photo(2)])
    expect(await files(cast.sam)).toEqual([])
    await owner(db)(`select private.drop_files('chat-photos', $1)`, [[photo(0)]])
    expect(await files(cast.grace)).toEqual([photo(2)])
  })
})
