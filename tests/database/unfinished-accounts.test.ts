// Accounts made through a provider: the data that their owners still enter, once.
import { expect, it } from 'vitest'
import { refusal } from './lives.ts'
import { as, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** An account as a provider's sign-up makes it. */
async function byProvider(email: string): Promise<string> {
  const { rows } = await owner(db)(
    `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data)
     values (gen_random_uuid(), 'authenticated', 'authenticated', $1, now(), '{"name": "Grace ✅ Field"}') returning id`,
    [email],
  )
  return rows[0].id
}

const finish = "select public.finish_account('Grace Field', $1, $2)"

it('is finished once, by the rules of the sign-up form', async () => {
  const id = await byProvider('grace+provider@example.com')
  const grace = as(db, id)
  const person = async () =>
    (
      await owner(db)(
        `select p.full_name, p.phone, p.role, array_agg(r.role::text) as roles from public.profiles p
         join public.user_roles r on r.user_id = p.id where p.id = $1 group by 1, 2, 3`,
        [id],
      )
    ).rows[0]
  expect(await person()).toEqual({
    full_name: 'Grace Field',
    phone: null,
    role: 'task_doer',
    roles: ['task_doer'],
  })
  const unfinished = async () => (await grace('select public.account_unfinished() as yes')).rows[0].yes
  expect(await unfinished()).toBe(true)
  for (const [phone, role, message] of [
    ['', 'admin', 'role must be task_giver or task_doer'],
    ['', null, 'role must be task_giver or task_doer'],
    ['me', 'task_giver', 'Invalid phone number'],
  ])
    expect(await refusal(grace(finish, [phone, role]))).toBe(message)
  expect(await refusal(grace("select public.finish_account('', null, 'task_giver')"))).toBe(
    'Name must be at least 2 characters',
  )
  await grace(finish, ['+13065550123', 'task_giver'])
  expect(await person()).toEqual({
    full_name: 'Grace Field',
    phone: '+13065550123',
    role: 'task_giver',
    roles: ['task_giver'],
  })
  expect(await unfinished()).toBe(false)
  expect(await refusal(grace(finish, [null, 'task_doer']))).toBe('This account is finished already')
})

it('is nothing for people who filled in the form, and for strangers', async () => {
  expect(await refusal(as(db, 'theo')(finish, [null, 'task_giver']))).toBe('This account is finished already')
  expect((await as(db, 'theo')('select public.account_unfinished() as yes')).rows[0].yes).toBe(false)
})
