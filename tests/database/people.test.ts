// People: what a profile and a sign-up must say (specification 000 §5, 001 §5), and what of cards and banks is kept.
import { describe, expect, it } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const long = (length: number) => 'x'.repeat(length)

async function tryUpdate(person: keyof typeof cast, table: string, column: string, value: unknown) {
  const key = table === 'profiles' ? 'id' : 'user_id'
  return as(db, person)(`update public.${table} set ${column} = $1 where ${key} = $2`, [
    value,
    cast[person],
  ]).then(
    () => null,
    (error: Error) => error.message,
  )
}

describe('the profile', () => {
  const cases: [string, unknown, string | null][] = [
    ['full_name', long(limits.name.min - 1), 'Name must be at least 2 characters'],
    ['full_name', long(limits.name.max + 1), 'Name too long'],
    ['full_name', null, 'Name must be at least 2 characters'],
    ['full_name', long(limits.name.max), null],
    ['phone', 'after six: 306 555 0199', null],
    ['phone', long(limits.phone.max + 1), 'Phone too long'],
    ['city', long(limits.city.max + 1), 'City too long'],
    ['bio', long(limits.bio.max), null],
    ['bio', long(limits.bio.max + 1), 'Bio too long'],
    ['avatar_url', 'https://example.com/theo.png', null],
    ['avatar_url', 'javascript:alert(1)', 'Avatar must be a web address'],
    ['avatar_url', 'not an address', 'Avatar must be a web address'],
    ['avatar_url', '', null],
    ['experience_years', -1, 'Experience must be a whole number of years, at least 0'],
    ['experience_years', 0, null],
    [
      'experience_years',
      limits.experienceYears.max + 1,
      'Experience must be a whole number of years, at least 0',
    ],
    ['hourly_rate', -0.01, 'Hourly rate must be at least 0'],
    ['hourly_rate', 24.99, null],
    ['hourly_rate', limits.hourlyRate.max + 0.01, 'Hourly rate too high'],
    ['hourly_rate', null, null],
    ['skills', [long(limits.skills.length + 1)], 'Too many skills, or a skill is too long'],
    [
      'skills',
      Array.from({ length: limits.skills.count + 1 }, (_, n) => `${n}`),
      'Too many skills, or a skill is too long',
    ],
    ['preferred_categories', ['Moving', 'Other'], null],
    ['preferred_categories', ['Astronomy'], 'Unknown category'],
  ]
  for (const [column, value, message] of cases) {
    const shown = String(value).length > 30 ? `${String(value).length} characters` : JSON.stringify(value)
    it(`${column} ${shown}: ${message ?? 'accepted'}`, async () => {
      expect(await tryUpdate('theo', 'profiles', column, value)).toBe(message)
    })
  }

  it('takes a skill only when it says something new', async () => {
    await tryUpdate('theo', 'profiles', 'skills', [' Painting ', '', 'painting', 'Drywall', '  ', 'Drywall'])
    const { rows } = await as(db, 'theo')('select skills from public.profiles where id = auth.uid()')
    expect(rows[0].skills).toEqual(['Painting', 'Drywall'])
  })

  it('keeps an hourly rate in whole cents', async () => {
    await tryUpdate('theo', 'profiles', 'hourly_rate', 24.994)
    const { rows } = await as(db, 'theo')('select hourly_rate from public.profiles where id = auth.uid()')
    expect(rows[0].hourly_rate).toBe('24.99')
  })

  it('knows three availabilities and ten languages', async () => {
    expect(await tryUpdate('theo', 'profiles', 'availability_status', 'busy')).toBe(null)
    expect(await tryUpdate('theo', 'profiles', 'availability_status', 'asleep')).toMatch(
      /invalid input value for enum/,
    )
    expect(await tryUpdate('theo', 'profiles', 'language', 'hi')).toBe(null)
    expect(await tryUpdate('theo', 'profiles', 'language', 'tlh')).toBe('Unknown language')
  })
})

describe('the language of a person', () => {
  const languages = async (id: string) => {
    const { rows } = await owner(db)(
      `select p.language, u.raw_user_meta_data as meta from public.profiles p join auth.users u using (id) where id = $1`,
      [id],
    )
    return rows[0]
  }

  it('comes from the sign-up, and is English where that names none of ours', async () => {
    const meta = { full_name: 'Grace Field', role: 'task_giver' }
    for (const [named, taken] of [
      ['fr', 'fr'],
      ['tlh', 'en'],
      [['fr'], 'en'],
      [undefined, 'en'],
    ]) {
      const id = await signUp(db, { meta: { ...meta, language: named } })
      expect((await languages(id)).language).toBe(taken)
    }
  })

  it('reaches the e-mails of sign-in when the profile changes, in addition to their other data', async () => {
    const id = await signUp(db, { meta: { full_name: 'Grace Field', role: 'task_giver' } })
    await as(db, id)(`update public.profiles set language = 'ar' where id = $1`, [id])
    expect(await languages(id)).toEqual({
      language: 'ar',
      meta: { full_name: 'Grace Field', role: 'task_giver', language: 'ar' },
    })
  })
})

describe('cards and bank accounts', () => {
  it('keep four digits at most', async () => {
    const card = {
      user_id: cast.grace,
      stripe_payment_method_id: 'pm_1',
      card_brand: 'visa',
      card_last4: '4242',
    }
    expect(await tryInsert(db, 'grace', 'payment_methods', { ...card, card_last4: '4242424242424242' })).toBe(
      'Only the last 4 digits of a card are kept',
    )
    expect(
      await tryInsert(db, 'grace', 'payment_methods', {
        ...card,
        stripe_payment_method_id: '4242424242424242',
      }),
    ).toBe('Failed to create payment method')
    expect(await tryInsert(db, 'grace', 'payment_methods', card)).toBe(null)
    const account = {
      user_id: cast.theo,
      stripe_account_id: 'manual',
      bank_last4: '6789',
      account_status: 'pending',
    }
    expect(await tryInsert(db, 'theo', 'payout_accounts', { ...account, bank_last4: '000123456789' })).toBe(
      'Only the last 4 digits of the account are kept',
    )
    expect(await tryInsert(db, 'theo', 'payout_accounts', { ...account, bank_last4: null })).toBe(
      'Please fill in all bank account fields',
    )
    expect(await tryInsert(db, 'theo', 'payout_accounts', account)).toBe(null)
  })
})

describe('signing up', () => {
  const person = {
    full_name: 'Vera Visitor',
    phone: null as string | null,
    role: 'task_doer' as string | undefined,
  }
  const cases: [object, string | null][] = [
    [{}, null],
    [{ role: 'task_giver' }, null],
    [{ role: 'admin' }, 'role must be task_giver or task_doer'],
    [{ role: 'superuser' }, 'role must be task_giver or task_doer'],
    [{ role: undefined }, 'role must be task_giver or task_doer'],
    [{ role: ['task_doer'] }, 'role must be task_giver or task_doer'],
    [{ full_name: long(limits.name.min - 1) }, 'Name must be at least 2 characters'],
    [{ full_name: '   V  ' }, 'Name must be at least 2 characters'],
    [{ full_name: undefined }, 'Name must be at least 2 characters'],
    [{ full_name: long(limits.name.max) }, null],
    [{ full_name: long(limits.name.max + 1) }, 'Name too long'],
    [{ phone: '' }, null],
    [{ phone: '+13065550199' }, null],
    [{ phone: '12' }, null],
    [{ phone: '1' }, 'Invalid phone number'],
    [{ phone: '0306555' }, 'Invalid phone number'],
    [{ phone: '306-555-0199' }, 'Invalid phone number'],
    [{ phone: `+1${'2'.repeat(14)}` }, null],
    [{ phone: `+1${'2'.repeat(15)}` }, 'Invalid phone number'],
  ]
  for (const [change, message] of cases) {
    it(`${JSON.stringify(change).slice(0, 60)}: ${message ?? 'accepted'}`, async () => {
      const act = signUp(db, { meta: { ...person, ...change } })
      if (message) expect(await refusal(act)).toBe(message)
      else await act
    })
  }

  it('makes one profile and one role', async () => {
    const id = await signUp(db, { name: ' Wim Welcome ', role: 'task_doer', phone: '+13065550188' })
    const { rows } = await as(
      db,
      id,
    )(
      `select p.full_name, p.phone, p.trust_score, p.response_rate, p.rating, r.role from public.profiles p
       join public.user_roles r on r.user_id = p.id where p.id = auth.uid()`,
    )
    expect(rows).toEqual([
      {
        full_name: 'Wim Welcome',
        phone: '+13065550188',
        trust_score: 50,
        response_rate: 100,
        rating: '0.00',
        role: 'task_doer',
      },
    ])
  })

  it('lets in who comes through another provider, as a task doer', async () => {
    const id = '00000000-0000-4000-8000-0000000000ee'
    await owner(db)(
      `insert into auth.users (id, email, raw_user_meta_data) values ($1, 'sam.ok@example.com', '{"name": "Sam"}')`,
      [id],
    )
    const { rows } = await owner(db)('select full_name, role from public.profiles where id = $1', [id])
    expect(rows[0]).toEqual({ full_name: 'Sam', role: 'task_doer' })
  })

  it('keeps the address of the account', async () => {
    await owner(db)(`update auth.users set email = 'sam.new@example.com' where id = $1`, [cast.sam])
    const { rows } = await as(db, 'sam')('select email from public.profiles where id = auth.uid()')
    expect(rows[0].email).toBe('sam.new@example.com')
  })
})
