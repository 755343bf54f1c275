// Sign-ups that nobody has confirmed, in projects of another kind: without confirmations, and with tables that keep rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { authServer, nextMessage, raw } from './project.ts'

const sams = 'SamWasHere1'
const graces = 'Meadowlark1'
const sam = { full_name: 'Sam Stone', phone: '+13065550166', role: 'task_doer' }
const grace = { full_name: 'Grace Field', phone: '+13065550100', role: 'task_giver' }

describe('where sign-up needs no confirmation', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await authServer({ email: 'enable_confirmations = false' })
  })
  afterAll(() => open?.stop())

  test('nobody is signed in to an account that was there before', async () => {
    const email = 'grace+open@example.com'
    const service = stranger(open, open.secretKey).auth.admin
    const { data } = await service.createUser({ email, user_metadata: grace })
    const { status, json } = await raw(open, '/signup', { body: { email, password: sams, data: sam } })
    expect([status, json.error_code]).toEqual([422, 'user_already_exists'])
    expect((await service.getUserById(data.user?.id as string)).data.user?.email_confirmed_at).toBeUndefined()
    const seen = await open.inbox()
    expect((await raw(open, '/otp', { body: { email } })).status).toBe(200)
    const message = await nextMessage(open, email, seen)
    const entered = await stranger(open).auth.verifyOtp({
      email,
      token: message.code as string,
      type: 'email',
    })
    expect(entered.data.user?.id).toBe(data.user?.id)
  })
})

describe('a project whose tables keep the first sign-up’s row', () => {
  let kept: TestServer
  beforeAll(async () => {
    kept = await authServer()
    // Without "on delete cascade", as many starters have it; deferred, so that it would fail at the end alone.
    await kept.database.pool.query(`
      create table public.customers (id uuid primary key references auth.users deferrable initially deferred);
      create function public.add_customer() returns trigger language plpgsql security definer as
      $$ begin insert into public.customers values (new.id); return new; end $$;
      create trigger add_customer after insert on auth.users for each row execute function public.add_customer();`)
  })
  afterAll(() => kept?.stop())

  test('has its password, metadata and ways in replaced', async () => {
    const email = 'grace+kept@example.com'
    const ask = (password: string, data: object) => raw(kept, '/signup', { body: { email, password, data } })
    const { json: first } = await ask(sams, sam)
    const theirs = await nextMessage(kept, email)
    const { status, text } = await ask(graces, grace)
    expect(status).toBe(200)
    for (const secret of [first.id as string, sam.full_name, sam.phone]) expect(text).not.toContain(secret)
    const hers = await nextMessage(kept, email, [theirs])
    const { data } = await stranger(kept).auth.verifyOtp({
      email,
      token: hers.code as string,
      type: 'signup',
    })
    expect(data.user).toMatchObject({ id: first.id, user_metadata: grace })
    const byPassword = async (password: string) =>
      (await stranger(kept).auth.signInWithPassword({ email, password })).error?.code ?? 'in'
    expect([await byPassword(sams), await byPassword(graces)]).toEqual(['invalid_credentials', 'in'])
  })
})
