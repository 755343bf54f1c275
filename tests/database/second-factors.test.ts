// Second factors as the application demands them: tokens before the second step, admins, and recovery codes.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { refusal } from './lives.ts'
import { as, asHalfSignedIn, asProvedSession, asSession, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

beforeEach(() =>
  owner(db)(`delete from auth.mfa_factors; delete from auth.sessions; delete from public.notifications;
    delete from private.admins_without_second_factor`),
)

const anyFactor = async (person: keyof typeof cast, status = 'verified') => {
  await owner(db)(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', $2, now(), now())`,
    [cast[person], status],
  )
}
const session = async (person: keyof typeof cast) => {
  const id = randomUUID()
  await owner(db)(`insert into auth.sessions (id, user_id, aal, created_at) values ($1, $2, 'aal1', now())`, [
    id,
    cast[person],
  ])
  return id
}
const value = async (rows: Promise<{ rows: Record<string, unknown>[] }>) =>
  Object.values((await rows).rows[0] as object)[0]

it('a token has the role of strangers while the second step is still to come, and not otherwise', async () => {
  const roleAt = (aal: string) =>
    value(
      owner(db)(`select private.access_token($1) #>> '{claims,role}'`, [
        { user_id: cast.grace, claims: { aal, role: 'authenticated' } },
      ]),
    )
  expect(await roleAt('aal1')).toBe('authenticated')
  await anyFactor('grace', 'unverified')
  expect(await roleAt('aal1')).toBe('authenticated')
  await anyFactor('grace')
  expect([await roleAt('aal1'), await roleAt('aal2')]).toEqual(['anon', 'authenticated'])
})

describe('an admin', () => {
  const demanded = (person: keyof typeof cast) =>
    value(asSession(db, person, randomUUID())('select public.second_factor_demanded()'))
  const roleGiven = (query: ReturnType<typeof as>) =>
    query(`select public.set_role($1, 'task_doer')`, [cast.sam])

  it('does nothing as one without a second factor', async () => {
    const half = asSession(db, 'ada', randomUUID())
    expect(await refusal(roleGiven(half))).toBe('Only admins can change roles')
    expect((await half('select from public.audit_log')).rowCount).toBe(0)
    expect((await half('select id from public.profiles')).rows).toEqual([{ id: cast.ada }])
    expect([await demanded('ada'), await demanded('grace')]).toEqual([true, false])
    await roleGiven(as(db, 'ada'))
  })

  it('does, where the owner of the database says so and until there is a factor', async () => {
    await owner(db)('insert into private.admins_without_second_factor values ($1)', [cast.ada])
    expect(await demanded('ada')).toBe(false)
    await roleGiven(asSession(db, 'ada', randomUUID()))
    await anyFactor('ada')
    expect(await refusal(roleGiven(asSession(db, 'ada', randomUUID())))).toBe('Only admins can change roles')
    for (const person of ['ada', 'grace'] as const)
      expect(
        await refusal(
          as(db, person)('insert into private.admins_without_second_factor values ($1)', [cast[person]]),
        ),
      ).toMatch(/permission denied/)
  })

  it('the last one stays, though the second step is still to come', async () => {
    expect(
      await value(asSession(db, 'ada', randomUUID())('select public.account_deletion_obstacle()')),
    ).toMatch(/the only administrator/)
  })
})

describe('a recovery code', () => {
  let codes: string[]
  let own: string
  const use = (code: string, person: 'grace' | 'theo' = 'grace', id = own) =>
    asHalfSignedIn(
      db,
      person,
      id,
    )('select public.use_recovery_code($1) as taken', [code]).then(({ rows }) => rows[0].taken as boolean)
  const left = () => value(as(db, 'grace')('select public.recovery_codes_left()'))
  const make = async () =>
    (await as(db, 'grace')('select public.make_recovery_codes() as codes')).rows[0].codes as string[]

  beforeEach(async () => {
    await anyFactor('grace')
    codes = await make()
    own = await session('grace')
  })

  it('is one of ten, which differ, and which the database does not know', async () => {
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
    const { rows } = await owner(db)('select r::text as row from private.recovery_codes r')
    expect(rows).toHaveLength(10)
    for (const code of codes)
      expect(JSON.stringify(rows)).not.toContain(code.slice(0, 4).concat(code.slice(5, 9)))
    expect(await left()).toBe(10)
  })

  it('removes the factors and ends the other sessions, once, and the person is notified', async () => {
    const other = await session('grace')
    const theos = await session('theo')
    // As somebody may type it.
    expect(
      await use(
        ` ${codes[3]?.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `,
      ),
    ).toBe(true)
    expect((await owner(db)('select from auth.mfa_factors')).rowCount).toBe(0)
    expect((await owner(db)('select id from auth.sessions order by id')).rows.map(({ id }) => id)).toEqual(
      [own, theos].sort(),
    )
    expect(other).not.toBe(own)
    const { rows } = await owner(db)('select key from public.notifications where user_id = $1', [cast.grace])
    expect(rows).toContainEqual({ key: 'recovery_code_used' })
    expect(await left()).toBe(0)
    await anyFactor('grace')
    for (const code of [codes[3], codes[4]]) expect(await use(code as string)).toBe(false)
  })

  it('ends with the last factor, by whichever way that goes', async () => {
    await anyFactor('grace')
    await anyFactor('grace', 'unverified')
    const first = `select id from auth.mfa_factors where status = 'verified' limit 1`
    await owner(db)(`delete from auth.mfa_factors where id = (${first})`)
    expect(await left()).toBe(10)
    await owner(db)(`delete from auth.mfa_factors where id = (${first})`)
    expect(await left()).toBe(0)
  })

  it('of somebody else, of an older set, or without a session of one’s own is refused', async () => {
    await anyFactor('theo')
    expect(await use(codes[0] as string, 'theo', await session('theo'))).toBe(false)
    expect(await refusal(use(codes[0] as string, 'theo', own))).toBe('Not authenticated')
    expect(await refusal(use(codes[0] as string, 'grace', randomUUID()))).toBe('Not authenticated')
    expect(await refusal(as(db, 'anonymous')(`select public.use_recovery_code('x')`))).toBe(
      'Not authenticated',
    )
    const [newer] = await make()
    expect(await use(codes[0] as string)).toBe(false)
    expect(await use(newer as string)).toBe(true)
    expect(await refusal(use(codes[1] as string))).toBe('Your account has no second factor')
  })

  it('is tried ten times in five minutes, though all are tried at the same moment', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 14 }, () => use('0000-0000-0000-0000')))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await refusal(use(codes[0] as string))).toMatch(/^Too many attempts/)
    // Another session is not held up by them.
    const other = await session('grace')
    expect(await use('0000-0000-0000-0000', 'grace', other)).toBe(false)
    await owner(db)(`update private.recovery_tries set began_at = began_at - interval '5 minutes'`)
    expect(await use(codes[0] as string)).toBe(true)
  })

  it('is made only shortly after a sign-in, and the person is notified', async () => {
    const make = 'select public.make_recovery_codes()'
    await owner(db)('delete from public.notifications')
    const refused = await asProvedSession(db, 'grace', 16 * 60)(make).catch((error) => error)
    expect([refused.code, refused.hint]).toEqual(['42501', 'reauthentication_needed'])
    expect(await left()).toBe(10)
    await asProvedSession(db, 'grace', 14 * 60)(make)
    const { rows } = await owner(db)('select key from public.notifications where user_id = $1', [cast.grace])
    expect(rows).toEqual([{ key: 'recovery_codes_made' }])
  })

  it('of a first set does not say that older ones stop working', async () => {
    const make = () => asProvedSession(db, 'grace', 60)('select public.make_recovery_codes()')
    await owner(db)('delete from private.recovery_codes')
    await owner(db)('delete from public.notifications')
    await make()
    await make()
    const { rows } = await owner(db)(
      'select key, message from public.notifications where user_id = $1 order by created_at',
      [cast.grace],
    )
    expect(rows).toEqual([
      { key: 'first_recovery_codes_made', message: expect.not.stringContaining('older') },
      { key: 'recovery_codes_made', message: expect.stringContaining('older ones no longer work') },
    ])
  })

  it('is made only by who has proved a second factor', async () => {
    for (const query of [asSession(db, 'grace', own), as(db, 'theo')])
      expect(await refusal(query('select public.make_recovery_codes()'))).toBe(
        'Set up two-step verification first',
      )
    expect(await refusal(asHalfSignedIn(db, 'grace', own)('select public.make_recovery_codes()'))).toMatch(
      /permission denied/,
    )
  })
})
