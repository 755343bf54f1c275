// Names: other people read "Theo B." until a booking of the two is accepted, wherever they look.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, cancel, list, move, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })

describe('the short name', () => {
  it.each([
    ['Theo Baker', 'Theo B.'],
    ['Anna Maria van der Berg', 'Anna B.'],
    ['Jean-Luc Smith-Jones', 'Jean-Luc S.'],
    ['Theo B.', 'Theo B.'],
    ['theo baker', 'theo B.'],
    ['Zoé Émond', 'Zoé É.'],
    ['Zoe\u0301 E\u0301mond', 'Zoé É.'],
    ['Baker, Theo', 'Theo B.'],
    ['Theo Baker, Jr.', 'Theo J.'],
    ["Sinéad O'Brien", 'Sinéad O.'],
    ['Theo.Baker', 'Theo B.'],
    ['Theo_Baker', 'Theo B.'],
    ['J.P. Smith', 'J.P. S.'],
    ['Theo\u3000Baker', 'Theo B.'],
    ['Theo 🎉 Baker 🎉', 'Theo B.'],
    ['🎉 Theo Baker', 'Theo B.'],
    ['Theo (Baker)', 'Theo B.'],
    ['Фёдор Иванович Кузнецов', 'Фёдор К.'],
    ['محمد بن سلمان', 'محمد س.'],
    ['प्रिया शर्मा', 'प्रिया श.'],
    ['西奥·贝克', '西奥 贝.'],
    ['山田 太郎', '山田 太.'],
    // One word: nobody can say which part is the last name.
    ['王小明', '王小明'],
    ['Madonna', 'Madonna'],
    ['Theo 🎉', 'Theo 🎉'],
    ['42 7', '42 7'],
  ])('of %s is %s', async (name, short) => {
    const { rows } = await owner(db)(
      'select private.public_name($1) as short, private.public_name(private.public_name($1)) as again',
      [name],
    )
    expect(rows).toEqual([{ short, again: short }])
  })
})

const nameSeen = async (reader: Persona, person: string) =>
  (await as(db, reader)('select full_name from public.public_profiles where id = $1', [person])).rows[0]
    ?.full_name

describe('a person', () => {
  it('is seen with the full name by the counterpart from acceptance on, as contact details are', async () => {
    await list(db)
    const booking = await apply(db, await postTask(db))
    const seen = async () => [await nameSeen('grace', cast.theo), await nameSeen('theo', cast.grace)]
    const both = (names: string[]) => expect(seen()).resolves.toEqual(names)
    await both(['Theo T.', 'Grace G.'])
    await move(db, booking, cast.grace, 'accepted')
    await both(['Theo Tasker', 'Grace Giver'])
    const { rows } = await as(db, 'grace')('select other_name from public.conversations')
    expect(rows).toEqual([{ other_name: 'Theo Tasker' }])
    for (const stranger of ['anonymous', 'sam'] as const)
      expect(await nameSeen(stranger, cast.theo)).toBe('Theo T.')
    await cancel(db, booking, cast.grace)
    await both(['Theo T.', 'Grace G.'])
    await bookingAt(db, 'completed')
    await both(['Theo Tasker', 'Grace Giver'])
  })

  it('reads their own full name, and administrators everybody’s', async () => {
    await list(db)
    for (const reader of ['theo', 'ada'] as const)
      expect(await nameSeen(reader, cast.theo)).toBe('Theo Tasker')
    const trusted = await asService(db)('select full_name from public.public_profiles where id = $1', [
      cast.theo,
    ])
    expect(trusted.rows).toEqual([{ full_name: 'Theo Tasker' }])
    // Also what the function that makes the heads of pages reads with the secret key.
    const head = await asService(db)('select public.person_head($1) as head', [cast.theo])
    expect(head.rows[0].head.full_name).toBe('Theo T.')
  })

  it('is found by the short name, and not by letters of the last one', async () => {
    await list(db)
    const found = async (query: string) => {
      const { rows } = await as(db, 'sam')(
        `select (select count(*) from public.find_taskers($1)) as find, public.count_taskers($1) as counted,
           (select count(*) from public.search_taskers($1)) as search`,
        [query],
      )
      return rows[0]
    }
    expect(await found('theo t.')).toEqual({ find: '1', counted: 1, search: '1' })
    for (const query of ['Tasker', 'Theo Ta', 'asker'])
      expect(await found(query)).toEqual({ find: '0', counted: 0, search: '0' })
    const filtered = await as(db, 'sam')(`select from public.public_profiles where full_name ilike '%task%'`)
    expect(filtered.rowCount).toBe(0)
  })
})

describe('notifications and e-mails', () => {
  /** The name in the newest notification of that event, and in its e-mail. */
  const named = async (reader: string, key: string) => {
    const { rows } = await owner(db)(
      `select (select n.params ->> 'person' from public.notifications n where n.user_id = $1 and n.key = $2
           order by created_at desc limit 1) as bell,
         (select e.params ->> 'person' from private.email_events e where e.person_id = $1 and e.key = $2
           order by id desc limit 1) as email`,
      [reader, key],
    )
    return [rows[0].bell, rows[0].email]
  }
  beforeEach(() => owner(db)('update auth.users set email_confirmed_at = now()'))

  it('have the short name before acceptance and the full one from then on, also of its end', async () => {
    const booking = await apply(db, await postTask(db))
    expect(await named(cast.grace, 'application_received_unverified')).toEqual(['Theo T.', 'Theo T.'])
    await move(db, booking, cast.grace, 'accepted')
    expect(await named(cast.theo, 'application_accepted')).toEqual(['Grace Giver', 'Grace Giver'])
    await tryInsert(db, 'theo', 'messages', {
      booking_id: booking.id,
      sender_id: cast.theo,
      receiver_id: cast.grace,
      message: 'On my way.',
    })
    expect(await named(cast.grace, 'message_received')).toEqual(['Theo Tasker', 'Theo Tasker'])
    await cancel(db, booking, cast.theo)
    expect(await named(cast.grace, 'booking_cancelled')).toEqual(['Theo Tasker', 'Theo Tasker'])
  })

  it('have the short name again once no booking of the two is left, and for everybody else', async () => {
    const ended = await bookingAt(db, 'accepted')
    await cancel(db, ended, cast.grace)
    const again = await apply(db, await postTask(db))
    expect(await named(cast.grace, 'application_received_unverified')).toEqual(['Theo T.', 'Theo T.'])
    await move(db, again, cast.theo, 'cancelled')
    expect(await named(cast.grace, 'application_withdrawn')).toEqual(['Theo T.', 'Theo T.'])
    await bookingAt(db, 'accepted')
    const una = await signUp(db, { name: 'Una Giver', role: 'task_giver' })
    await owner(db)('update auth.users set email_confirmed_at = now()')
    await bookingAt(db, 'pending', { giver: una })
    expect(await named(una, 'application_received_unverified')).toEqual(['Theo T.', 'Theo T.'])
  })
})

describe('a last name', () => {
  let pending: Booking
  beforeEach(async () => {
    await owner(db)(
      `update private.profiles set full_name = case id when $1 then 'Theo Doerslastname' else 'Grace Giverslastname' end
       where id in ($1, $2)`,
      [cast.theo, cast.grace],
    )
    await owner(db)('update auth.users set email_confirmed_at = now()')
    await list(db)
    // Theo worked for somebody else, and wrote a review that everybody reads.
    const una = await signUp(db, { name: 'Una Giver', role: 'task_giver' })
    const done = await bookingAt(db, 'completed', { giver: una })
    await tryInsert(db, 'theo', 'reviews', { booking_id: done.id, reviewer_id: cast.theo, rating: 5 })
    await owner(db)('update public.reviews set visible_from = now()')
    // Grace asks Theo about one task, has an open one for which he applies, and declined him once.
    await tryInsert(db, 'grace', 'tasks', {
      task_giver_id: cast.grace,
      title: 'Hang four shelves',
      description: 'Floating shelves, on a plaster wall.',
      category: 'Handyman',
      location: 'Saskatoon',
      pay_amount: 50,
      asked_tasker_id: cast.theo,
    })
    await move(db, await apply(db, await postTask(db)), cast.grace, 'rejected')
    pending = await apply(db, await postTask(db))
    await as(db, 'grace')('insert into public.favourites (user_id, tasker_id) values ($1, $2)', [
      cast.grace,
      cast.theo,
    ])
  })

  /** The relations in which the reader finds one of the words, and how many there are. */
  async function sweep(reader: Persona, words: RegExp) {
    const role = reader === 'anonymous' ? 'anon' : 'authenticated'
    const { rows: relations } = await owner(db)(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'v', 'm', 'p') and n.nspname not in ('pg_catalog', 'information_schema')
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
         and has_schema_privilege($1, n.oid, 'usage') and has_any_column_privilege($1, c.oid, 'select') order by 1`,
      [role],
    )
    const leaks: string[] = []
    for (const { name } of relations) {
      const { rows } = await as(
        db,
        reader,
      )(`select coalesce(string_agg(to_jsonb(t)::text, E'\\n'), '') as read from ${name} t`).catch(
        async (error) => {
          // Columns of it are granted, not all.
          expect([name, error.code]).toEqual([name, '42501'])
          const { rows: granted } = await owner(db)(
            `select string_agg(quote_ident(attname), ', ') as list from pg_attribute where attrelid = $1::regclass
           and attnum > 0 and not attisdropped and has_column_privilege($2, attrelid, attnum, 'select')`,
            [name, role],
          )
          return as(
            db,
            reader,
          )(
            `select coalesce(string_agg(to_jsonb(t)::text, E'\\n'), '') as read from (select ${granted[0].list} from ${name}) t`,
          )
        },
      )
      if (words.test(rows[0].read)) leaks.push(name)
    }
    return { leaks, read: relations.length }
  }
  const exported = async (person: string) =>
    JSON.stringify((await asService(db)('select public.data_of_person($1) as data', [person])).rows)

  it('is in nothing that strangers and people before acceptance may read', async () => {
    const readers: [Persona, RegExp][] = [
      ['anonymous', /Doerslast|Giverslast/],
      ['sam', /Doerslast|Giverslast/],
      ['grace', /Doerslast/],
      ['theo', /Giverslast/],
    ]
    for (const [reader, words] of readers) {
      const { leaks, read } = await sweep(reader, words)
      expect([reader, leaks]).toEqual([reader, []])
      expect(read).toBeGreaterThan(reader === 'anonymous' ? 5 : 20)
      if (reader !== 'anonymous') expect(await exported(cast[reader])).not.toMatch(words)
    }
    const { rows: sent } = await owner(db)(
      `select string_agg(to_jsonb(e)::text, ' ') as words from private.email_events e where e.person_id in ($1, $2)`,
      [cast.grace, cast.theo],
    )
    expect(sent[0].words).toMatch(/"Theo D\."/)
    expect(sent[0].words).toMatch(/"Grace G\."/)
    expect(sent[0].words).not.toMatch(/slastname/)
  })

  it('is what the counterpart reads after acceptance', async () => {
    await move(db, pending, cast.grace, 'accepted')
    expect((await sweep('grace', /Doerslast/)).leaks).toEqual([
      'conversations',
      'private.profiles',
      'profiles',
      'public_profiles',
    ])
    expect((await sweep('theo', /Giverslast/)).leaks).toEqual([
      'conversations',
      'notifications',
      'private.profiles',
      'profiles',
      'public_profiles',
    ])
    expect((await sweep('sam', /Doerslast|Giverslast/)).leaks).toEqual([])
  })

  it('is what administrators read, in notifications too', async () => {
    await as(db, 'theo')('select public.report_content($1, $2, $3)', [
      'task',
      pending.taskId,
      'Asks for cash on the phone.',
    ])
    const { rows } = await as(
      db,
      'ada',
    )(`select params ->> 'person' as person from public.notifications where key = 'content_reported'`)
    expect(rows).toEqual([{ person: 'Theo Doerslastname' }])
  })

  it('goes from what others were notified of when the person leaves, in the short form too', async () => {
    const about = async () =>
      (
        await as(
          db,
          'grace',
        )(`select distinct params ->> 'person' as person, params #>> '{codes,person}' as code from public.notifications
            where params ? 'person'`)
      ).rows
    expect(await about()).toEqual([{ person: 'Theo D.', code: null }])
    await owner(db)('select private.erase_name($1)', [cast.theo])
    expect(await about()).toEqual([{ person: 'Deleted user', code: 'deleted_user' }])
  })
})
