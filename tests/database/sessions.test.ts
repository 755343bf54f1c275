// One's own sessions: seen and ended by the person whose they are, and by nobody else.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { as, asSession, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

async function session(
  person: 'grace' | 'theo',
  agent: string,
  notAfter: string | null = null,
): Promise<string> {
  const id = randomUUID()
  await owner(db)(
    `insert into auth.sessions (id, user_id, created_at, updated_at, user_agent, not_after)
     values ($1, $2, now() - interval '1 day', now(), $3, $4)`,
    [id, cast[person], agent, notAfter],
  )
  await owner(db)(
    `insert into auth.refresh_tokens (token, user_id, revoked, session_id) values ($1, $2, false, $3)`,
    [randomUUID(), cast[person], id],
  )
  return id
}
const list =
  'select id, user_agent, is_current, last_used_at > created_at as used from public.list_sessions()'

describe('sessions', () => {
  it('are listed for their person: this one first, then the last used, none that is over', async () => {
    const laptop = await session('grace', 'Laptop')
    const phone = await session('grace', 'Phone')
    await session('grace', 'Long ago', '2001-01-01')
    await session('theo', 'His')
    await owner(db)(`update auth.sessions set refreshed_at = now() at time zone 'utc' where id = $1`, [phone])
    expect((await asSession(db, 'grace', laptop)(list)).rows).toEqual([
      { id: laptop, user_agent: 'Laptop', is_current: true, used: false },
      { id: phone, user_agent: 'Phone', is_current: false, used: true },
    ])
    await expect(as(db, 'anonymous')(list)).rejects.toThrow(/permission denied/)
    await expect(as(db, 'grace')('select from auth.sessions')).rejects.toThrow(/permission denied/)
  })

  it('are ended one by one, with their refresh tokens, and only one’s own', async () => {
    const laptop = await session('grace', 'Laptop')
    const phone = await session('grace', 'Phone')
    const end = (person: 'grace' | 'theo') => as(db, person)('select public.end_session($1)', [phone])
    await expect(end('theo')).rejects.toThrow('This device is signed out already')
    await end('grace')
    await expect(end('grace')).rejects.toThrow('This device is signed out already')
    const left = await owner(db)('select session_id from auth.refresh_tokens')
    expect(left.rows).toEqual([{ session_id: laptop }])
  })

  it('all others are ended, and the person’s browsers get a message on their own channel', async () => {
    const laptop = await session('grace', 'Laptop')
    await session('grace', 'Phone')
    await session('grace', 'Tablet')
    const his = await session('theo', 'His')
    const ended = await asSession(db, 'grace', laptop)('select public.end_other_sessions() as count')
    expect(ended.rows).toEqual([{ count: 2 }])
    const left = await owner(db)('select id from auth.sessions order by user_agent')
    expect(left.rows).toEqual([{ id: his }, { id: laptop }])
    const told = await owner(db)('select topic, event, private from realtime.messages')
    expect(told.rows).toEqual([{ topic: `account:${cast.grace}`, event: 'sessions_ended', private: true }])
    await expect(as(db, 'grace')('select public.end_other_sessions()')).rejects.toThrow(
      'This token belongs to no session',
    )
  })
})
