// Both sides in one account: rights and lists follow the set of a person's roles (specification 000 §3 'User role', §6).
import { beforeAll, describe, expect, it } from 'vitest'
import { apply, bookingAt, list, pay, postTask, refusal, tryInsert } from './lives.ts'
import { as, asHalfSignedIn, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const add = (person: string, role: string | null) =>
  as(db, person)('select public.add_role($1::public.app_role)', [role])
const change = (person: string, role: string) =>
  as(db, person)('select public.switch_role($1::public.app_role)', [role])
const set = (person: string, roles: (string | null)[] | null, by = 'ada') =>
  as(db, by)('select public.set_roles($1, $2::public.app_role[])', [person, roles])

async function rolesOf(person: string) {
  const { rows } = await owner(db)(
    'select role, active from public.user_roles where user_id = $1 order by role',
    [person],
  )
  return {
    held: rows.map(({ role }) => role),
    active: rows.find(({ active }) => active)?.role ?? null,
  }
}
const shown = async (person: string) =>
  (await owner(db)('select role, roles::text[] from private.profiles where id = $1', [person])).rows[0]
const listed = async () =>
  (await as(db, 'anonymous')('select id from public.find_taskers()')).rows.map(({ id }) => id)
const found = async (filter: string) =>
  (await as(db, 'ada')('select id from public.find_people($1, $2)', ['', filter])).rows.map(({ id }) => id)

/** Somebody who gives, adds the other side, and whose ID is approved. */
async function both(name: string): Promise<string> {
  const id = await signUp(db, { name, role: 'task_giver' })
  await add(id, 'task_doer')
  return id
}

describe('adding a role', () => {
  it('gives the other side and works in it; once is enough', async () => {
    expect(await rolesOf(cast.sam)).toEqual({ held: ['task_giver'], active: null })
    await add('sam', 'task_doer')
    await add('sam', 'task_doer')
    expect(await rolesOf(cast.sam)).toEqual({ held: ['task_giver', 'task_doer'], active: 'task_doer' })
    expect(await shown(cast.sam)).toEqual({ role: 'task_doer', roles: ['task_doer', 'task_giver'] })
    await add('theo', 'task_giver')
    expect(await rolesOf(cast.theo)).toEqual({ held: ['task_giver', 'task_doer'], active: 'task_giver' })
  })

  it('never makes an admin, and is for one’s own account alone', async () => {
    for (const role of ['admin', null])
      expect(await refusal(add('grace', role))).toBe('role must be task_giver or task_doer')
    expect(await rolesOf(cast.grace)).toEqual({ held: ['task_giver'], active: null })
    expect(await refusal(add('anonymous', 'task_doer'))).toMatch(/permission denied/)
    expect(
      await refusal(
        asHalfSignedIn(
          db,
          'grace',
          '00000000-0000-4000-8000-0000000000ff',
        )(`select public.add_role('task_doer')`),
      ),
    ).toMatch(/permission denied/)
  })

  it('is not for suspended people, nor before an account is finished, nor after it is gone', async () => {
    const held = await signUp(db, { name: 'Hal Held', role: 'task_giver' })
    await as(db, 'ada')('select public.suspend_person($1, $2)', [held, 'Fake tasks'])
    expect(await refusal(add(held, 'task_doer'))).toBe(
      'Your account is suspended: you cannot add a role until this is lifted',
    )
    expect(await rolesOf(held)).toEqual({ held: ['task_giver'], active: null })
    await add(held, 'task_giver') // what they have they may go on working in

    const halfway = await signUp(db, { name: 'Una Unfinished', role: 'task_doer' })
    await owner(db)('insert into private.unfinished_accounts values ($1)', [halfway])
    expect(await refusal(add(halfway, 'task_giver'))).toBe('Finish your account first')

    const gone = await signUp(db, { name: 'Gil Gone', role: 'task_giver' })
    await owner(db)('delete from auth.users where id = $1', [gone])
    expect(await refusal(add(gone, 'task_doer'))).toBe('Not authenticated')
  })

  it('is recorded in the audit log with its actor; switching is not', async () => {
    const person = await both('Ana Audited')
    await change(person, 'task_giver')
    const { rows } = await owner(db)(
      `select action, actor_id, by_admin, new_values ->> 'role' as role from public.audit_log
       where table_name = 'user_roles' and subject_ids @> array[$1::uuid] order by id`,
      [person],
    )
    expect(rows).toEqual([
      { action: 'insert', actor_id: null, by_admin: false, role: 'task_giver' },
      { action: 'insert', actor_id: person, by_admin: false, role: 'task_doer' },
    ])
  })

  it('at the same moment from two devices loses none', async () => {
    const person = await signUp(db, { name: 'Tia Twice', role: 'task_giver' })
    await Promise.all(['task_doer', 'task_doer', 'task_giver'].map((role) => add(person, role)))
    expect((await rolesOf(person)).held).toEqual(['task_giver', 'task_doer'])
    expect((await shown(person)).roles).toEqual(['task_doer', 'task_giver'])
  })
})

describe('the active role', () => {
  it('is one of those held, and no row can be written past the function', async () => {
    const person = await both('Swen Switcher')
    await change(person, 'task_giver')
    expect((await rolesOf(person)).active).toBe('task_giver')
    await change(person, 'task_doer')
    expect((await rolesOf(person)).active).toBe('task_doer')
    expect(await refusal(change(person, 'admin'))).toBe('You do not have this role')
    expect(await refusal(change('grace', 'task_doer'))).toBe('You do not have this role')
    expect(await refusal(as(db, person)('update public.user_roles set active = true'))).toMatch(
      /permission denied/,
    )
  })

  it('changes no right', async () => {
    const person = await both('Rita Right')
    await change(person, 'task_doer')
    await postTask(db, { giver: person })
    await change(person, 'task_giver')
    await apply(db, await postTask(db), person)
  })
})

describe('a person with both roles', () => {
  let person: string
  beforeAll(async () => {
    person = await both('Bea Both')
    await list(db, person)
  })

  it('posts and applies, and is nobody’s admin', async () => {
    const own = await postTask(db, { giver: person })
    await apply(db, await postTask(db), person)
    await apply(db, own, cast.theo)
    expect(await refusal(as(db, person)('select * from public.admin_overview()'))).toMatch(/Only admins/)
    expect(await refusal(set(person, ['admin'], person))).toMatch(/Only admins/)
  })

  it('neither applies to their own task, nor asks, saves, pays or reviews themselves', async () => {
    const own = await postTask(db, { giver: person })
    expect(await refusal(apply(db, own, person))).toBe('You cannot apply to your own task')
    expect(
      await refusal(
        as(db, person)(
          `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, status, asked_tasker_id)
           values ($1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 50, 'open', $1)`,
          [person],
        ),
      ),
    ).toBe('You cannot ask yourself')
    expect(await tryInsert(db, person, 'favourites', { user_id: person, tasker_id: person })).toBe(
      'Only a tasker can be saved',
    )
    const worked = await bookingAt(db, 'accepted', { tasker: person })
    expect(await refusal(as(db, person)('select public.prepare_payment($1)', [worked.id]))).toBe(
      'Only the task giver can pay for a booking',
    )
    await pay(db, worked)
    expect(
      await tryInsert(db, person, 'reviews', {
        booking_id: worked.id,
        reviewer_id: person,
        reviewee_id: person,
        rating: 5,
      }),
    ).not.toBe(null)
  })

  it('is found by givers and in both of the admins’ lists, and is paid out', async () => {
    expect(await listed()).toContain(person)
    expect(await found('task_giver')).toContain(person)
    expect(await found('task_doer')).toContain(person)
    expect(await found('admin')).not.toContain(person)
    await as(db, person)('select public.prepare_payout_account()')
    expect(await refusal(as(db, 'grace')('select public.prepare_payout_account()'))).toBe(
      'Only taskers are paid out',
    )
  })

  it('is, in each conversation, what they are there', async () => {
    const gives = await bookingAt(db, 'accepted', { giver: person })
    const { rows: theirs } = await as(db, 'theo')(
      'select other_role from public.conversations where booking_id = $1',
      [gives.id],
    )
    expect(theirs).toEqual([{ other_role: 'task_giver' }])
    const works = await bookingAt(db, 'accepted', { tasker: person })
    const { rows } = await as(db, 'grace')(
      'select other_role from public.conversations where booking_id = $1',
      [works.id],
    )
    expect(rows).toEqual([{ other_role: 'task_doer' }])
  })

  it('is led to the booking itself, whose side opens, as people with one role are', async () => {
    const links = async (id: string) =>
      (
        await owner(db)(
          `select link from public.notifications where user_id = $1 and key in ('application_accepted', 'application_received', 'application_received_unverified')
           order by created_at desc limit 1`,
          [id],
        )
      ).rows.map(({ link }) => link)
    const works = await bookingAt(db, 'accepted', { tasker: person })
    expect(await links(person)).toEqual([`/bookings?booking=${works.id}`])
    expect(await links(cast.grace)).toEqual([`/bookings?booking=${works.id}`])
  })

  it('reads what waits on both sides', async () => {
    const waiting = await signUp(db, { name: 'Wes Waiting', role: 'task_giver' })
    await apply(db, await postTask(db, { giver: waiting }), cast.theo)
    const kinds = async () =>
      (await as(db, waiting)('select kind from public.my_action_items()')).rows.map(({ kind }) => kind)
    expect(await kinds()).toEqual(['choose'])
    await add(waiting, 'task_doer')
    expect(await kinds()).toEqual(['choose', 'get_verified'])
  })
})

describe('the roles that admins set', () => {
  it('are a set: an admin who works is listed, and roles that are not named are removed', async () => {
    const person = await signUp(db, { name: 'Abe Admin', role: 'task_doer' })
    await list(db, person)
    await set(person, ['task_doer', 'admin', 'task_doer'])
    expect((await rolesOf(person)).held).toEqual(['task_doer', 'admin'])
    expect((await shown(person)).role).toBe('admin')
    expect(await listed()).toContain(person)
    await as(db, 'grace')('insert into public.favourites (user_id, tasker_id) values ($1, $2)', [
      cast.grace,
      person,
    ])
    expect(await found('task_doer')).toContain(person)
    const { rows } = await as(db, 'anonymous')(
      'select p.role, p.is_tasker from public.public_profiles p where id = $1',
      [person],
    )
    expect(rows).toEqual([{ role: 'admin', is_tasker: true }])
    await set(person, ['task_giver'])
    expect((await rolesOf(person)).held).toEqual(['task_giver'])
    expect(await listed()).not.toContain(person)
  })

  it('keep the active role while it is held, and fall back on the priority', async () => {
    const person = await both('Kim Kept')
    await change(person, 'task_giver')
    await set(person, ['task_giver', 'task_doer', 'admin'])
    expect((await rolesOf(person)).active).toBe('task_giver')
    await set(person, ['task_doer'])
    expect(await rolesOf(person)).toEqual({ held: ['task_doer'], active: null })
  })

  it('are at least one, and one sentence reports the change', async () => {
    const person = await signUp(db, { name: 'Nia Notified', role: 'task_giver' })
    for (const roles of [[], null, [null]])
      expect(await refusal(set(person, roles))).toBe('A role is required')
    await set(person, ['task_giver'])
    await set(person, ['task_doer', 'task_giver'])
    const { rows } = await owner(db)(
      `select message from public.notifications where user_id = $1 and key = 'role_changed'`,
      [person],
    )
    expect(rows).toEqual([{ message: 'An administrator has made you a tasker and task giver.' }])
  })
})
