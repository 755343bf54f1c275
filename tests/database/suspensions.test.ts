// Suspended people: what they can no longer do, what goes on, who decides it; and roles, of which everybody has one.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apply, approve, bookingAt, cancel, move, postTask, refusal, release, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const suspend = (person: string, by: Persona = 'ada', reason = 'Spam in chats') =>
  as(db, by)('select public.suspend_person($1, $2)', [person, reason])
const lift = (person: string, by: Persona = 'ada') =>
  as(db, by)('select public.lift_suspension($1)', [person])
const banned = async (person: string) =>
  (await owner(db)('select banned_until > now() as banned from auth.users where id = $1', [person])).rows[0]
    .banned
const sees = async (person: Persona, sql: string, values: unknown[] = []) =>
  (await as(db, person)(sql, values)).rowCount
const keys = async (person: Persona) =>
  (await as(db, person)('select key from public.notifications order by created_at, key')).rows.map(
    (row) => row.key,
  )

describe('a suspension', () => {
  it('is mailed with its reason, and so is what goes on; a ban by other means is not', async () => {
    const mails = async () =>
      (
        await owner(db)('select key, params from private.email_events where person_id = $1 order by id', [
          cast.theo,
        ])
      ).rows
    await owner(db)('update auth.users set email_confirmed_at = now()')
    const done = await bookingAt(db, 'completed')
    await owner(db)('delete from private.email_events')
    await suspend(cast.theo)
    expect(await mails()).toEqual([{ key: 'account_suspended', params: { reason: 'Spam in chats' } }])
    await release(db, done)
    const { rows } = await owner(db)(`select private.wants_email($1, 'messages') as message`, [cast.theo])
    expect(rows).toEqual([{ message: false }])
    expect((await mails()).map(({ key }) => key)).toContain('payment_released')
    await lift(cast.theo)
    await owner(db)(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
      cast.theo,
    ])
    const { rows: address } = await owner(db)('select private.email_address($1) as to', [cast.theo])
    expect(address).toEqual([{ to: null }])
  })

  it('is an admin’s, with a reason, of no admin and not twice; whoever is suspended signs in', async () => {
    for (const person of ['grace', 'theo', 'sam', 'anonymous'] as const) {
      expect(await refusal(suspend(cast.sam, person))).toMatch(
        /Only admins can suspend people|permission denied/,
      )
      expect(await refusal(lift(cast.sam, person))).toMatch(/Only admins can lift|permission denied/)
    }
    expect(await refusal(suspend(cast.sam, 'ada', '  '))).toMatch(/Please give a reason/)
    expect(await refusal(suspend(cast.sam, 'ada', 'x'.repeat(2001)))).toBe('Reason too long')
    expect(await refusal(suspend(cast.ada))).toMatch(/An admin cannot be suspended/)
    expect(await refusal(suspend('00000000-0000-4000-8000-0000000000ff'))).toBe('There is no such account')
    expect(await banned(cast.sam)).not.toBe(true)
    await suspend(cast.sam)
    expect(await banned(cast.sam)).not.toBe(true)
    expect(await refusal(suspend(cast.sam))).toMatch(/suspended already/)
    const { rows } = await as(db, 'sam')('select reason, suspended_by from public.suspensions')
    expect(rows).toEqual([{ reason: 'Spam in chats', suspended_by: cast.ada }])
    expect(await sees('grace', 'select from public.suspensions')).toBe(0)
    const told = async (person: Persona) =>
      (await as(db, person)('select kind, reason from public.my_restrictions()')).rows
    expect(await told('sam')).toEqual([{ kind: 'suspension', reason: 'Spam in chats' }])
    expect(await told('grace')).toEqual([])
    await lift(cast.sam)
    expect(await told('sam')).toEqual([])
    expect(await banned(cast.sam)).not.toBe(true)
    expect(await refusal(lift(cast.sam))).toBe('This person is not suspended')
    expect(await keys('sam')).toEqual(['account_suspended', 'suspension_lifted'])
  })

  it('ends without ending a ban that an operator has made', async () => {
    await suspend(cast.sam)
    await owner(db)(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [cast.sam])
    await lift(cast.sam)
    expect(await banned(cast.sam)).toBe(true)
    await owner(db)('update auth.users set banned_until = null where id = $1', [cast.sam])
  })

  it('ends posting, changing, hiring and paying of a giver, and hides the open tasks', async () => {
    const open = await postTask(db)
    const applied = await apply(db, await postTask(db))
    const accepted = await bookingAt(db, 'accepted')
    const done = await bookingAt(db, 'completed')
    const found = () => sees('theo', `select from public.search_tasks('driveway')`)
    const recommended = () => sees('theo', 'select from public.recommended_tasks()')
    expect([await found(), await recommended()]).toEqual([2, 2])
    await suspend(cast.grace)
    expect(await refusal(postTask(db))).toMatch(/Your account is suspended/)
    expect(
      await refusal(as(db, 'grace')(`update public.tasks set title = 'Another title' where id = $1`, [open])),
    ).toMatch(/Your account is suspended/)
    expect(await refusal(move(db, applied, cast.grace, 'accepted'))).toMatch(/Your account is suspended/)
    expect(await refusal(as(db, 'grace')('select public.prepare_payment($1)', [accepted.id]))).toMatch(
      /Your account is suspended/,
    )
    expect([await found(), await recommended()]).toEqual([0, 0])
    for (const [person, seen] of [
      ['sam', 0],
      ['anonymous', 0],
      ['theo', 0],
      ['grace', 1],
      ['ada', 1],
    ] as const)
      expect(await sees(person, 'select from public.tasks where id = $1', [open])).toBe(seen)
    // Applicants still see the task, and nobody applies any more.
    expect(await sees('theo', 'select from public.tasks where id = $1', [applied.taskId])).toBe(1)
    expect(await refusal(apply(db, open))).toBe('This task is no longer open')
    // An agreed job continues.
    expect(await release(db, done)).toBe(1)
    await lift(cast.grace)
    expect([await found(), await recommended()]).toEqual([2, 2])
    expect(await move(db, applied, cast.grace, 'accepted')).toBe(1)
  })

  it('puts every task of the giver on hold until it ends, also one that falls open again meanwhile', async () => {
    const open = await postTask(db)
    const applied = await apply(db, await postTask(db))
    const agreed = await bookingAt(db, 'accepted')
    const withdrawn = await postTask(db)
    const unpaid = await bookingAt(db, 'accepted')
    const items = async () =>
      (await as(db, 'grace')('select kind, task_id from public.my_action_items()')).rows
    const standing = async (person: Persona, id: string) =>
      (
        await as(db, person)('select status, public.on_hold(t) as held from public.tasks t where id = $1', [
          id,
        ])
      ).rows[0]
    await suspend(cast.grace)
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [withdrawn])
    // A task under way is not on hold. When its tasker leaves, it is, and nobody can find it or apply.
    expect(await standing('theo', agreed.taskId)).toEqual({ status: 'assigned', held: false })
    await cancel(db, agreed, cast.theo)
    const seen = await Promise.all(
      (['grace', 'ada', 'theo', 'sam', 'anonymous'] as const).map((person) =>
        standing(person, agreed.taskId),
      ),
    )
    const held = { status: 'open', held: true }
    expect(seen).toEqual([held, held, held, undefined, undefined])
    expect(await refusal(apply(db, agreed.taskId))).toBe('This task is no longer open')
    expect(await sees('anonymous', `select from public.search_tasks('driveway')`)).toBe(0)
    expect(await standing('grace', open)).toEqual(held)
    expect(await items()).toEqual([])
    expect(await standing('theo', applied.taskId)).toEqual(held)
    expect(await standing('grace', withdrawn)).toEqual({ status: 'cancelled', held: false })
    await lift(cast.grace)
    const listed = { status: 'open', held: false }
    expect(await items()).toEqual([
      { kind: 'pay', task_id: unpaid.taskId },
      { kind: 'choose', task_id: applied.taskId },
    ])
    for (const id of [open, applied.taskId, agreed.taskId]) expect(await standing('sam', id)).toEqual(listed)
    expect(await standing('grace', withdrawn)).toEqual({ status: 'cancelled', held: false })
  })

  it('waits for a task that is listed at the same moment, and that task for its end', async () => {
    const agreed = await bookingAt(db, 'accepted')
    const cancelling = await db.database.pool.connect()
    try {
      await cancelling.query('begin')
      await cancelling.query(`update public.tasks set status = 'open' where id = $1`, [agreed.taskId])
      const suspending = suspend(cast.grace)
      await expect
        .poll(
          async () =>
            (
              await owner(db)(
                `select from pg_locks l join pg_database d on d.oid = l.database
                 where d.datname = current_database() and locktype = 'advisory' and not granted`,
              )
            ).rowCount,
        )
        .toBe(1)
      await cancelling.query('commit')
      await suspending
    } finally {
      cancelling.release()
    }
    const { rows } = await owner(db)('select hidden_for from public.tasks where id = $1', [agreed.taskId])
    expect(rows).toEqual([{ hidden_for: 'suspension' }])
    await lift(cast.grace)
  })

  it('ends applying, writing and reviewing of a tasker, and takes them out of Find Taskers', async () => {
    await approve(db)
    const open = await postTask(db)
    const running = await bookingAt(db, 'in_progress')
    const done = await bookingAt(db, 'released')
    const listed = () => sees('anonymous', 'select from public.find_taskers()')
    const write = () =>
      tryInsert(db, 'theo', 'messages', {
        booking_id: running.id,
        sender_id: cast.theo,
        receiver_id: cast.grace,
        message: 'Hello',
      })
    expect(await listed()).toBe(1)
    await suspend(cast.theo)
    expect(await listed()).toBe(0)
    expect(await refusal(apply(db, open))).toMatch(/Your account is suspended/)
    expect(await write()).toMatch(/Your account is suspended/)
    expect(
      await tryInsert(db, 'theo', 'reviews', { booking_id: done.id, reviewer_id: cast.theo, rating: 5 }),
    ).toMatch(/Your account is suspended/)
    expect(await refusal(as(db, 'theo')(`update public.profiles set bio = 'Watches, cheap'`))).toMatch(
      /you cannot change your profile/,
    )
    // How to be reached about what is under way.
    await as(db, 'theo')(`update public.profiles set phone = '+13065550142'`)
    expect(await move(db, running, cast.theo, 'completed')).toBe(1)
    await lift(cast.theo)
    expect(await listed()).toBe(1)
    expect(await write()).toBeNull()
  })

  it('covers whatever others read of a person, and whatever the person puts up for others', async () => {
    const { rows } = await owner(db)('select private.public_profile_columns() as columns')
    // Each column that others read and a person writes: a new one needs a value here, and no separate rule.
    const values: Record<string, string> = {
      full_name: `'Theo Worker'`,
      avatar_url: `'/theo.jpg'`,
      bio: `'Watches, cheap'`,
      city: `'Regina'`,
      skills: `'{watches}'`,
      experience_years: '7',
      hourly_rate: '12.50',
      availability_status: `'busy'`,
    }
    expect(rows[0].columns).toEqual(Object.keys(values).sort())
    const upload = (bucket: string, folder: string = cast.grace) =>
      as(db, 'grace')('insert into storage.objects (bucket_id, name, owner_id) values ($1, $2, $3)', [
        bucket,
        `${folder}/${randomUUID()}.jpg`,
        cast.grace,
      ])
    const running = await bookingAt(db, 'completed')
    const buckets = await owner(db)('select id from storage.buckets where public order by id')
    expect(buckets.rows.map(({ id }) => id)).toEqual(['profile-photos', 'task-photos'])
    await suspend(cast.theo)
    await suspend(cast.grace)
    for (const [column, value] of Object.entries(values)) {
      const change = as(db, 'theo')(`update public.profiles set ${column} = ${value}`)
      expect(await refusal(change), column).toMatch(/you cannot change your profile/)
    }
    await as(db, 'theo')(`update public.profiles set last_active = now(), language = 'fr'`)
    // Nor by the function that takes a first name.
    const { rows: made } = await owner(db)(
      `insert into auth.users (id, email) values (gen_random_uuid(), 'nobody@example.com') returning id`,
    )
    await suspend(made[0].id)
    const finish = as(db, made[0].id)(`select public.finish_account('Nell Newcomer', null, 'task_doer')`)
    expect(await refusal(finish)).toMatch(/you cannot change your profile/)
    for (const bucket of ['profile-photos', 'task-photos'])
      expect(await refusal(upload(bucket)), bucket).toMatch(/row-level security/)
    expect(await refusal(upload('chat-photos', running.id))).toMatch(/row-level security/)
    // Photos of the work finish what is under way.
    await upload('booking-photos', running.id)
    await lift(cast.theo)
    await lift(cast.grace)
    for (const [column, value] of Object.entries(values))
      await as(db, 'theo')(`update public.profiles set ${column} = ${value}`)
    for (const bucket of ['profile-photos', 'task-photos']) await upload(bucket)
    await upload('chat-photos', running.id)
  })

  it('holds for people banned through GoTrue’s own API, too', async () => {
    await owner(db)(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
      cast.grace,
    ])
    expect(await refusal(postTask(db))).toMatch(/Your account is suspended/)
  })
})

describe('a role', () => {
  const give = (person: string, role: string, by: Persona = 'ada') =>
    as(db, by)('select public.set_role($1, $2::public.app_role)', [person, role])
  const rolesOf = async (person: string) =>
    (await owner(db)('select role from public.user_roles where user_id = $1', [person])).rows.map(
      (row) => row.role,
    )

  it('is given by admins, one a person; the last admin stays one', async () => {
    for (const person of ['grace', 'theo', 'sam', 'anonymous'] as const)
      expect(await refusal(give(cast.sam, 'admin', person))).toMatch(/Only admins|permission denied/)
    expect(await refusal(give(cast.ada, 'task_giver'))).toMatch(/This is the last admin/)
    await give(cast.sam, 'admin')
    expect(await rolesOf(cast.sam)).toEqual(['admin'])
    await give(cast.ada, 'task_doer')
    expect(await rolesOf(cast.ada)).toEqual(['task_doer'])
    expect(await refusal(give(cast.sam, 'task_giver', 'sam'))).toMatch(/This is the last admin/)
    expect(await refusal(give(cast.sam, 'task_giver', 'ada'))).toMatch(/Only admins/)
    expect(await keys('sam')).toContain('role_changed')
  })

  it('of an admin is not for suspended people', async () => {
    await suspend(cast.sam)
    expect(await refusal(give(cast.sam, 'admin'))).toMatch(/lift the suspension first/)
    expect(await rolesOf(cast.sam)).toEqual(['task_giver'])
  })
})
