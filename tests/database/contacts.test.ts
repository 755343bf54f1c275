// Contact details before an application is accepted: what the database hides, what it leaves, and that forms show the same.
import { describe, expect, it } from 'vitest'
import { maskContacts } from '../../shared/contacts.ts'
import { withContacts, withoutContacts } from './contact-texts.ts'
import { postTask } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const masked = async (texts: string[]): Promise<string[]> =>
  (
    await owner(db)(
      'select private.masked_contacts(text) as stored from unnest($1::text[]) with ordinality as listed (text, nth) order by nth',
      [texts],
    )
  ).rows.map(({ stored }) => stored)

describe('a text before acceptance', () => {
  it('is stored without its contact details, in every language', async () => {
    expect(await masked(withContacts.map(([text]) => text))).toEqual(withContacts.map(([, stored]) => stored))
  })

  it('keeps prices, dates, times, addresses and measures', async () => {
    expect(await masked(withoutContacts)).toEqual(withoutContacts)
  })

  it('is masked once: what is stored has nothing more to hide', async () => {
    const stored = withContacts.map(([, text]) => text)
    expect(await masked(stored)).toEqual(stored)
  })

  it('keeps every other character, and the empty text', async () => {
    const texts = ['', ' \n', 'می‌خواهم 👩‍👧 1️⃣', 'Ünïcödé — “quotes” … ½', '••• 12 ••• 34']
    expect(await masked(texts)).toEqual(texts)
  })
})

describe('forms', () => {
  it('hide the same as the database', () => {
    for (const [text, stored] of withContacts) expect(maskContacts(text)).toBe(stored)
    for (const text of withoutContacts) expect(maskContacts(text)).toBe(text)
  })

  it('hide the same in texts put together by chance', async () => {
    const parts = [...withContacts.map(([text]) => text), ...withoutContacts].flatMap((text) =>
      text.split(/(?<=[ @.])|(?=[ @.])/),
    )
    let seed = 34
    const below = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * limit)
    }
    const texts = Array.from({ length: 600 }, () =>
      Array.from({ length: 1 + below(14) }, () => parts[below(parts.length)]).join(below(2) ? '' : ' '),
    )
    expect(texts.map(maskContacts)).toEqual(await masked(texts))
  })
})

it('an application is stored masked', async () => {
  await as(db, 'theo')(
    `insert into public.bookings (task_id, task_doer_id, message, status)
     values ($1, $2, 'I can come at 9:30, call 306-555-0123', 'pending')`,
    [await postTask(db), cast.theo],
  )
  const { rows } = await owner(db)('select message from public.bookings')
  expect(rows).toEqual([{ message: 'I can come at 9:30, call •••' }])
})
