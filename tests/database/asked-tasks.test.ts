// A task that one tasker is asked to do first: nobody else reads it or applies; it opens by the giver, by a no, or by time.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, list, move, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })
let other = '' // a tasker who is not asked

beforeEach(async () => {
  await list(db)
  other = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
})

const words = {
  title: 'Clear the driveway',
  description: 'Two cars wide, and the walk to the door.',
  category: 'Snow Removal',
  location: 'Saskatoon',
  pay_amount: 100,
}

/** Grace asks Theo (or `tasker`); resolves to the task's id. */
async function askedTask({ tasker = cast.theo as string, scheduled = null as string | null } = {}) {
  const { rows } = await as(db, 'grace')(
    `insert into public.tasks (task_giver_id, asked_tasker_id, title, description, category, location, pay_amount, scheduled_date)
     values ($1, $2, $3, $4, $5, $6, $7, now() + $8::interval) returning id`,
    [cast.grace, tasker, ...Object.values(words), scheduled],
  )
  return rows[0].id as string
}

const row = async (id: string) =>
  (
    await owner(db)(
      `select status, asked_tasker_id, extract(epoch from asked_until - created_at)::int as seconds
       from public.tasks where id = $1`,
      [id],
    )
  ).rows[0]
const open = { status: 'open', asked_tasker_id: null, seconds: null }

const reads = async (person: Persona | (string & {}), id: string) =>
  (await as(db, person)('select from public.tasks where id = $1', [id])).rowCount === 1
const applies = (person: string, id: string) =>
  tryInsert(db, person, 'bookings', { task_id: id, task_doer_id: person, status: 'pending' })
const decline = (person: string, id: string) =>
  as(db, person)('select public.decline_request($1)', [id]).then(
    () => null,
    (error: Error) => error.message,
  )
const heard = async (person: Persona) => {
  const { rows } = await as(
    db,
    person,
  )('select key, link, title, message from public.notifications order by created_at, key')
  return rows.map(({ key, link, title, message }) => {
    expect(title + message).not.toMatch(/[{}]/)
    return { key, link }
  })
}
const timePasses = async () => {
  while ((await asService(db)('select public.run_scheduled() as n')).rows[0].n > 0);
}
const timeIsOver = (id: string) =>
  owner(db)('update public.tasks set asked_until = now() where id = $1', [id])

describe('while Theo is asked', () => {
  it('only he, the giver and admins read it, whatever they search', async () => {
    const id = await askedTask()
    expect(await row(id)).toEqual({ status: 'asked', asked_tasker_id: cast.theo, seconds: 24 * 3600 })
    for (const person of ['grace', 'theo', 'ada'])
      expect([person, await reads(person, id)]).toEqual([person, true])
    for (const person of ['sam', other, 'anonymous'])
      expect([person, await reads(person, id)]).toEqual([person, false])
    for (const search of ['public.search_tasks()', `public.search_tasks('driveway')`])
      expect((await as(db, 'anonymous')(`select from ${search}`)).rowCount).toBe(0)
    expect((await as(db, other)('select from public.recommended_tasks()')).rowCount).toBe(0)
    expect(await heard('theo')).toEqual([{ key: 'task_asked', link: `/task/${id}` }])
  })

  it('nobody else applies, and to them it is not there', async () => {
    const id = await askedTask()
    expect(await applies(other, id)).toBe('Task not found')
    expect(await decline(other, id)).toBe('You are not asked to do this task any more')
    expect(await applies(cast.theo, id)).toBe(null)
  })

  it('nobody learns whether he has applied, whatever row they hand in', async () => {
    const id = await askedTask()
    await apply(db, id)
    const { rows } = await as(db, 'anonymous')(
      'select public.applications_count(jsonb_populate_record(null::public.tasks, $1)) as n',
      [{ id, status: 'open' }],
    )
    expect(rows).toEqual([{ n: 0 }])
  })

  it('the giver can still change what it says, not whom it asks', async () => {
    const id = await askedTask()
    const change = (what: string) => as(db, 'grace')(`update public.tasks set ${what} where id = $1`, [id])
    await change(`title = 'Clear both driveways'`)
    await expect(change(`asked_tasker_id = '${other}'`)).rejects.toThrow(/permission denied/)
    await expect(change(`asked_until = now()`)).rejects.toThrow(/permission denied/)
    await expect(change(`status = 'completed'`)).rejects.toThrow('A task cannot go from asked to completed')
  })

  it('has less time when the work is soon', async () => {
    expect(await row(await askedTask({ scheduled: '10 hours' }))).toMatchObject({ seconds: 5 * 3600 })
    expect(await row(await askedTask({ scheduled: '9 days' }))).toMatchObject({ seconds: 24 * 3600 })
  })

  it('asks taskers alone, and nobody to ask oneself', async () => {
    const asks = (asked: string, as_: Persona = 'grace') =>
      tryInsert(db, as_, 'tasks', { ...words, task_giver_id: cast.grace, asked_tasker_id: asked })
    for (const nobody of [cast.sam, cast.ada, '00000000-0000-4000-8000-00000000ffff'])
      expect(await asks(nobody)).toBe('Only a tasker can be asked')
    expect(await asks(cast.grace)).toBe('You cannot ask yourself')
    expect(await asks(cast.theo, 'sam')).toBe('You can only post tasks of your own')
    expect(
      await tryInsert(db, 'grace', 'tasks', { ...words, task_giver_id: cast.grace, status: 'asked' }),
    ).toBe('A new task is open')
  })
})

describe('a request that an admin hides', () => {
  it('tells the tasker nothing of what is written into it afterwards', async () => {
    const task = await askedTask()
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [task])
    await owner(db)('delete from public.notifications')
    await owner(db)('delete from private.email_events')
    const change = (what: string) => as(db, 'grace')(`update public.tasks set ${what} where id = $1`, [task])
    await change(`title = 'Read this instead', location = 'Behind the mill', pay_amount = 99`)
    await change(`status = 'cancelled'`)
    expect(await heard('theo')).toEqual([])
    const mails = await owner(db)('select from private.email_events where person_id = $1', [cast.theo])
    expect(mails.rowCount).toBe(0)
  })

  it('is still announced to a tasker who has applied, and reads it', async () => {
    const task = await askedTask()
    await apply(db, task)
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [task])
    await as(db, 'grace')('update public.tasks set pay_amount = 99 where id = $1', [task])
    expect(
      (await as(db, 'theo')(`select from public.notifications where key = 'task_changed'`)).rowCount,
    ).toBe(1)
  })
})

describe('it opens to everyone', () => {
  it('when Theo declines; nobody reads that he was asked', async () => {
    const id = await askedTask()
    expect(await decline(cast.theo, id)).toBe(null)
    expect(await row(id)).toEqual(open)
    expect(await decline(cast.theo, id)).toBe('You are not asked to do this task any more')
    expect(await heard('grace')).toEqual([{ key: 'request_declined', link: `/task/${id}` }])
    expect(await reads('anonymous', id)).toBe(true)
    expect(await applies(other, id)).toBe(null)
  })

  it('when the giver says so', async () => {
    const id = await askedTask()
    await as(db, 'grace')(`update public.tasks set status = 'open' where id = $1`, [id])
    expect(await row(id)).toEqual(open)
    await expect(
      as(db, 'grace')(`update public.tasks set status = 'asked' where id = $1`, [id]),
    ).rejects.toThrow('A task cannot go from open to asked')
  })

  it('when the time is over', async () => {
    const id = await askedTask()
    await timePasses()
    expect((await row(id)).status).toBe('asked')
    await timeIsOver(id)
    await timePasses()
    expect(await row(id)).toEqual(open)
    expect(await heard('grace')).toEqual([{ key: 'request_expired', link: `/task/${id}` }])
  })

  it('when his application comes to nothing, and not while it waits', async () => {
    for (const [person, end] of [
      [cast.grace, 'rejected'],
      [cast.theo, 'cancelled'],
    ] as const) {
      const id = await askedTask()
      const booking = await apply(db, id)
      expect(await decline(cast.theo, id)).toBe(
        'You have applied to this task. Withdraw your application instead.',
      )
      await timeIsOver(id)
      await timePasses()
      expect((await row(id)).status).toBe('asked')
      await move(db, booking, person, end)
      expect(await row(id)).toEqual(open)
    }
  })

  it('when Theo leaves', async () => {
    const id = await askedTask()
    await owner(db)('delete from auth.users where id = $1', [cast.theo])
    expect(await row(id)).toEqual(open)
  })
})

describe('it ends', () => {
  it('with his acceptance, as any other', async () => {
    const id = await askedTask()
    const booking = await apply(db, id)
    expect(await move(db, booking, cast.grace, 'accepted')).toBe(1)
    expect(await row(id)).toEqual({ status: 'assigned', asked_tasker_id: null, seconds: null })
    expect(await reads('theo', id)).toBe(true)
    expect(await reads(other, id)).toBe(false)
  })

  it('when the giver withdraws it; Theo is notified once, applied or not', async () => {
    for (const applied of [false, true]) {
      const id = await askedTask()
      if (applied) await apply(db, id)
      await owner(db)('delete from public.notifications')
      await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [id])
      expect((await heard('theo')).map(({ key }) => key)).toEqual([
        applied ? 'task_withdrawn' : 'request_withdrawn',
      ])
      expect((await row(id)).status).toBe('cancelled')
    }
  })

  it('when the giver leaves', async () => {
    const id = await askedTask()
    await owner(db)('delete from auth.users where id = $1', [cast.grace])
    expect(await reads('theo', id)).toBe(false)
    expect(await row(id)).toBe(undefined)
  })
})
