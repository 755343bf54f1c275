// Every validation of the specification (§5 of both documents), in the database: at its boundary, with its text, and
// equal to shared/limits.ts. The texts that a form shows too are in the app's English, letter for letter.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories.ts'
import { limits } from '../../shared/limits.ts'
import { textValues } from '../../shared/textValues.ts'
import { bookingAt, cancel, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const long = (length: number) => 'x'.repeat(length)

const task = {
  task_giver_id: cast.grace,
  title: 'Clear the driveway',
  description: 'Two cars wide, and the walk to the door.',
  category: 'Snow Removal',
  location: 'Saskatoon',
  pay_amount: 50,
  status: 'open',
}

describe('posting a task', () => {
  const { title, description, location, payAmount, toolsDescription, durationMinutes } = limits
  const cases: [string, unknown, string | null][] = [
    ['title', long(title.min - 1), 'Title must be at least 5 characters'],
    ['title', `  ${long(title.min - 1)}\t\n `, 'Title must be at least 5 characters'],
    ['title', null, 'Title must be at least 5 characters'],
    ['title', ` ${long(title.min)} `, null],
    ['title', long(title.max), null],
    ['title', long(title.max + 1), 'Title too long'],
    ['description', long(description.min - 1), 'Description must be at least 20 characters'],
    ['description', long(description.min), null],
    ['description', long(description.max), null],
    ['description', long(description.max + 1), 'Description too long'],
    ['category', 'Painting', 'Category is required'],
    ['category', '', 'Category is required'],
    ['category', null, 'Category is required'],
    ['location', long(location.min - 1), 'Location must be at least 3 characters'],
    ['location', long(location.min), null],
    ['location', long(location.max), null],
    ['location', long(location.max + 1), 'Location too long'],
    ['pay_amount', 0, 'Pay amount must be positive'],
    ['pay_amount', -5, 'Pay amount must be positive'],
    ['pay_amount', null, 'Pay amount must be positive'],
    ['pay_amount', payAmount.min - 0.01, 'Pay amount must be at least $25'],
    ['pay_amount', payAmount.min, null],
    ['pay_amount', payAmount.max, null],
    ['pay_amount', payAmount.max + 0.01, 'Pay amount too high'],
    ['pay_amount', 'NaN', 'Pay amount too high'],
    ['tools_description', long(toolsDescription.max), null],
    ['tools_description', long(toolsDescription.max + 1), 'Tools description too long'],
    ['scheduled_date', null, null],
    ['scheduled_date', 'infinity', 'Scheduled date is not a usable date'],
    ['duration_minutes', durationMinutes.min - 1, 'Duration must be between 1 minute and 7 days'],
    ['duration_minutes', durationMinutes.max, null],
    ['duration_minutes', durationMinutes.max + 1, 'Duration must be between 1 minute and 7 days'],
    ['status', 'completed', 'A new task is open'],
    ['task_giver_id', cast.sam, 'You can only post tasks of your own'],
  ]
  for (const [column, value, message] of cases) {
    const shown = String(value).length > 20 ? `${String(value).length} characters` : JSON.stringify(value)
    it(`${column} ${shown}: ${message ?? 'accepted'}`, async () => {
      expect(await tryInsert(db, 'grace', 'tasks', { ...task, [column]: value })).toBe(message)
    })
  }

  it('takes every category there is, and no other', async () => {
    const { rows } = await owner(db)('select private.categories() as names')
    expect(rows[0].names).toEqual([...categories])
  })

  it('is for givers and admins', async () => {
    expect(await tryInsert(db, 'theo', 'tasks', { ...task, task_giver_id: cast.theo })).toBe(
      'Access Denied: Only task givers can post tasks',
    )
    expect(await tryInsert(db, 'ada', 'tasks', { ...task, task_giver_id: cast.ada })).toBe(null)
    expect(await tryInsert(db, 'anonymous', 'tasks', task)).toBe('permission denied for table tasks')
  })

  it('shows the first failure only', async () => {
    expect(await tryInsert(db, 'grace', 'tasks', { task_giver_id: cast.grace, pay_amount: -1 })).toBe(
      'Title must be at least 5 characters',
    )
  })

  it('trims, and keeps an address apart', async () => {
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, tools_description)
       values ($1, '  Walk the dog ', ' Forty minutes along the river. ', 'Pet Care', ' Saskatoon ', 30, '  ') returning *`,
      [cast.grace],
    )
    expect(rows[0]).toMatchObject({ title: 'Walk the dog', location: 'Saskatoon', tools_description: null })
    const address = (text: string) =>
      tryInsert(db, 'grace', 'task_addresses', { task_id: rows[0].id, address: text })
    expect(await address(long(limits.address.min - 1))).toBe('Address must be at least 3 characters')
    expect(await address(long(limits.address.max + 1))).toBe('Address too long')
    expect(await address(long(limits.address.max))).toBe(null)
  })
})

describe('applying, completing, cancelling, writing, reviewing', () => {
  it('an application message has at most 1000 characters', async () => {
    const task_id = await postTask(db)
    const application = (message: string) =>
      tryInsert(db, 'theo', 'bookings', { task_id, task_doer_id: cast.theo, message, status: 'pending' })
    expect(await application(long(limits.applicationMessage.max + 1))).toBe(
      'Message too long (max 1000 characters)',
    )
    expect(await application(long(limits.applicationMessage.max))).toBe(null)
  })

  it('completion notes and reasons', async () => {
    const booking = await bookingAt(db, 'in_progress')
    const complete = (notes: string) =>
      as(db, 'theo')(`update public.bookings set status = 'completed', completion_notes = $2 where id = $1`, [
        booking.id,
        notes,
      ])
    expect(await refusal(complete(long(limits.completionNotes.max + 1)))).toBe('Completion notes too long')
    expect(await refusal(cancel(db, booking, cast.grace, long(limits.cancellationReason.max + 1)))).toBe(
      'Reason too long',
    )
    await complete(long(limits.completionNotes.max))
  })

  it('a chat message is trimmed, not empty, at most 1000 characters', async () => {
    const booking = await bookingAt(db, 'accepted')
    const write = (message: string) =>
      tryInsert(db, 'grace', 'messages', {
        booking_id: booking.id,
        sender_id: cast.grace,
        receiver_id: cast.theo,
        message,
      })
    expect(await write(' \n\t ')).toBe('Message cannot be empty')
    expect(await write(long(limits.chatMessage.max + 1))).toBe('Message too long (max 1000 characters)')
    expect(await write(` ${long(limits.chatMessage.max)} `)).toBe(null)
  })

  it('a review has 1 to 5 stars', async () => {
    const booking = await bookingAt(db, 'completed')
    const review = (rating: number) =>
      tryInsert(db, 'grace', 'reviews', {
        booking_id: booking.id,
        reviewer_id: cast.grace,
        reviewee_id: cast.theo,
        rating,
        comment: 'Good.',
      })
    expect(await review(limits.reviewStars.min - 1)).toBe('Rating must be between 1 and 5')
    expect(await review(limits.reviewStars.max + 1)).toBe('Rating must be between 1 and 5')
    expect(await review(limits.reviewStars.max)).toBe(null)
  })
})

describe('the app says the same', () => {
  it('in English, letter for letter', () => {
    const said = new Set<unknown>()
    const values = new Map(Object.entries(textValues('en')))
    const gather = (value: unknown) => {
      if (typeof value === 'object' && value) Object.values(value).forEach(gather)
      else said.add(String(value).replace(/\{\{(\w+)\}\}/g, (variable, name) => values.get(name) ?? variable))
    }
    const folder = new URL('../../web/i18n/en/', import.meta.url)
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
      gather(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    }
    const texts = [
      'Title must be at least 5 characters',
      'Title too long',
      'Description must be at least 20 characters',
      'Description too long',
      'Category is required',
      'Location must be at least 3 characters',
      'Location too long',
      'Pay amount must be positive',
      'Pay amount must be at least $25',
      'Pay amount too high',
      'Pay amount can have two decimals at most',
      'Scheduled date must be in the future',
      'Tools description too long',
      'Address too long',
      'Message too long (max 1000 characters)',
      'Name must be at least 2 characters',
      'Name too long',
      'Invalid phone number',
      'Bio too long',
      'Phone too long',
      'City too long',
      'Hourly rate must be at least 0',
      'Hourly rate too high',
      'Please say what is wrong in at least 10 characters',
      'Please say what happened in at least 10 characters',
      'Answer too long',
      'Reason too long',
      'A refusal needs a reason',
      'A split returns more than nothing and less than the task amount',
    ]
    expect(texts.filter((text) => !said.has(text))).toEqual([])
  })
})

it('a rule whose condition is unknown is broken, and one without a field has its message all the same', async () => {
  for (const [holds, field] of [
    [null, 'amount'],
    [false, null],
    [null, null],
  ]) {
    const asked = owner(db)(`select private.require($1, 'task.not_found', $2)`, [holds, field])
    await expect(asked).rejects.toMatchObject({
      code: 'P0001',
      message: 'Task not found',
      hint: field ?? undefined,
    })
  }
  await owner(db)(`select private.require(true, 'task.not_found', null)`)
})
