// The token of a third-party application opens nothing, with the hook of access tokens and without it.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { postTask, refusal } from './lives.ts'
import { as, asApplication, asSession, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
const FORBIDDEN = 'An application may not do this for a person'

beforeAll(async () => {
  await postTask(db)
})

it('the hook gives it the role of strangers', async () => {
  const claims = { aal: 'aal1', role: 'authenticated', client_id: randomUUID() }
  const { rows } = await owner(db)('select private.access_token($1) as event', [
    { user_id: cast.grace, claims },
  ])
  expect(rows[0].event.claims).toEqual({ ...claims, role: 'anon' })
})

describe('with that role', () => {
  it('it reads nothing of its person, and less than a stranger', async () => {
    const app = asApplication(db, 'grace')
    const { rows } = await owner(db)(
      `select quote_ident(relname) as table, has_table_privilege('anon', oid, 'select') as open from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') order by 1`,
    )
    for (const { table, open } of rows) {
      const read = app(`select 1 from public.${table}`)
      if (!open)
        expect([table, await refusal(read)]).toEqual([table, expect.stringMatching(/permission denied/)])
      else if (!['badges', 'places', 'public_profiles'].includes(table))
        expect([table, (await read).rowCount]).toEqual([table, 0])
    }
    expect((await as(db, 'anonymous')('select 1 from public.tasks')).rowCount).toBe(1)
  })

  it('it writes nothing, and takes no second factor away', async () => {
    const app = asApplication(db, 'grace')
    expect(await refusal(app(`update public.profiles set full_name = 'Another'`))).toMatch(
      /permission denied/,
    )
    expect(
      await refusal(app(`insert into storage.objects (bucket_id, name) values ('task-photos', 'x')`)),
    ).toMatch(/row-level security/)
    expect(await refusal(app(`select public.use_recovery_code('x')`))).toBe(FORBIDDEN)
  })
})

describe('where the hook is not switched on', () => {
  it('no function moves money, changes the account, or shows more than figures of the person', async () => {
    const { rows } = await owner(db)(
      `select p.proname as name,
         format('select public.%I(%s)', p.proname, (select string_agg('null', ', ') from generate_series(1, p.pronargs - p.pronargdefaults))) as call
       from pg_proc p where p.pronamespace = 'public'::regnamespace
         and has_function_privilege('authenticated', p.oid, 'execute') and not has_function_privilege('anon', p.oid, 'execute')
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1`,
    )
    const open: string[] = []
    for (const { name, call } of rows) {
      const said = await refusal(asApplication(db, 'ada', { hook: false, aal: 'aal2' })(call)).catch(
        () => null,
      )
      if (said !== FORBIDDEN) open.push(name)
    }
    expect(open).toEqual([
      ...[
        'account_unfinished',
        'has_password',
        'jobs_alike',
        'my_action_items',
        'my_earnings',
        'my_earnings_by_month',
        'my_spending',
        'own_clash',
        'own_visit_clashes',
        'place_name',
        'planned_times',
        'recommendation_reasons',
        'recommendation_score',
      ],
      ...['recovery_codes_left', 'second_factor_demanded', 'tasker_distance', 'tasker_km'],
    ])
  })

  it('it sees no tasks and reviews, and is no admin', async () => {
    const app = asApplication(db, 'ada', { hook: false, aal: 'aal2' })
    expect((await app('select 1 from public.tasks')).rowCount).toBe(0)
    expect((await app('select 1 from public.audit_log')).rowCount).toBe(0)
    expect((await app('select id from public.profiles')).rows).toEqual([{ id: cast.ada }])
  })
})

it('its sessions are neither shown nor ended as devices', async () => {
  const [own, other, app, client] = Array.from({ length: 4 }, () => randomUUID())
  await owner(db)(
    `insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types, token_endpoint_auth_method)
     values ($1, 'manual', 'https://planner.example.net', 'authorization_code', 'none')`,
    [client],
  )
  await owner(db)(
    `insert into auth.sessions (id, user_id, created_at, oauth_client_id)
     select id, $1, now(), client from (values ($2::uuid, null::uuid), ($3, null), ($4, $5)) as s (id, client)`,
    [cast.grace, own, other, app, client],
  )
  const grace = asSession(db, 'grace', own as string)
  const listed = await grace('select id from public.list_sessions()')
  expect(listed.rows.map(({ id }) => id).sort()).toEqual([own, other].sort())
  expect(await refusal(grace('select public.end_session($1)', [app]))).toBe(
    'This device is signed out already',
  )
  expect((await grace('select public.end_other_sessions() as ended')).rows).toEqual([{ ended: 1 }])
  const left = await owner(db)('select id from auth.sessions where user_id = $1', [cast.grace])
  expect(left.rows.map(({ id }) => id).sort()).toEqual([own, app].sort())
})
