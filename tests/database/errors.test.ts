// How a broken rule is raised: the English text as the message, the code and its parameters as the detail, the field as the hint.
import { expect, test } from 'vitest'
import messages from '../../shared/texts/en/errors.json' with { type: 'json' }
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const TASK = {
  title: 'Clear the driveway',
  description: 'Shovel the driveway and the walk to the door',
  category: 'Cleaning',
  location: 'Regina',
  pay_amount: 60,
}

const post = (changed: object, who: 'grace' | 'theo' = 'grace') => {
  const row = { ...TASK, task_giver_id: cast[who], ...changed }
  return as(db, who)(
    `insert into public.tasks (${Object.keys(row)}) values (${Object.keys(row).map((_, nth) => `$${nth + 1}`)})`,
    Object.values(row),
  )
}

/** The error's fields, the detail read. */
async function raisedBy(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => null,
    (raised: { code: string; message: string; detail?: string; hint?: string }) => raised,
  )
  const { code, message, detail, hint } = error ?? { code: 'none', message: '' }
  return { code, message, detail: detail && JSON.parse(detail), hint }
}

test('a rule of a field: its code, what fills its text, and the field', async () => {
  expect(await raisedBy(post({ pay_amount: 10 }))).toEqual({
    code: 'P0001',
    message: 'Pay amount must be at least $25',
    detail: { code: 'task.pay_too_low', params: { min: 25 } },
    hint: 'pay_amount',
  })
})

test('a rule about who may act: no field', async () => {
  expect(await raisedBy(post({}, 'theo'))).toEqual({
    code: '42501',
    message: 'Access Denied: Only task givers can post tasks',
    detail: { code: 'task.only_givers', params: {} },
    hint: undefined,
  })
})

test('a rule that is a separate trigger, and one of many actions of administrators', async () => {
  const rate = as(db, 'theo')(`update public.profiles set hourly_rate = -1 where id = $1`, [cast.theo])
  expect(await raisedBy(rate)).toMatchObject({
    message: 'Hourly rate must be at least 0',
    detail: { code: 'profile.hourly_rate_too_low', params: {} },
    hint: 'hourly_rate',
  })
  expect(await raisedBy(as(db, 'sam')(`select public.lift_suspension($1)`, [cast.theo]))).toMatchObject({
    code: '42501',
    message: 'Only admins can lift a suspension',
    detail: { code: 'admin.required', params: { action: 'lift a suspension' } },
  })
})

test('a code that there is not is a fault of ours', async () => {
  expect(await raisedBy(owner(db)(`select private.fail('task.no_such_rule')`))).toMatchObject({
    code: 'XX000',
  })
})

test('the database has the texts of shared/texts/en/errors.json', async () => {
  const { rows } = await owner(db)('select private.error_messages() as texts')
  expect(rows[0].texts).toEqual(messages)
})
