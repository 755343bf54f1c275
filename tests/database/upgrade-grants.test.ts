// Rights that an operator granted and revoked outside of migrations are the same in an upgraded database.

import { connectClient } from '@meadowlark/server/sql/client.ts'
import { copyGrants } from '@meadowlark/server/upgrade/grants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let old: TestDatabase
let next: TestDatabase
beforeAll(async () => {
  ;[old, next] = await Promise.all([createTestDatabase(), createTestDatabase()])
})
afterAll(() => Promise.all([old?.drop(), next?.drop()]))

test('grants and revokes by hand are made again, and those of the platform’s schemas are named', async () => {
  const from = await connectClient({ connectionString: old.url })
  const to = await connectClient({ connectionString: next.url })
  try {
    expect(await copyGrants({ from, to })).toEqual({ copied: [], leftBehind: [] })
    for (const each of [from, to])
      await each.query(
        `create table public."Crates" (id int, name text); create function public.stack(n int) returns int return n;
         grant select on public."Crates" to anon`,
      )
    await from.query(
      `revoke select on public."Crates" from anon;
       grant update (name) on public."Crates" to anon with grant option;
       revoke execute on function public.stack(int) from public;
       grant create on schema private to anon;
       grant select on auth.users to anon`,
    )
    const { copied, leftBehind } = await copyGrants({ from, to })
    expect(copied).toEqual([
      'revoke execute on routine public.stack(n integer) from public cascade',
      'revoke select on table public."Crates" from anon cascade',
      'grant create on schema private to anon',
      'grant update (name) on table public."Crates" to anon with grant option',
    ])
    expect(leftBehind).toEqual(['grant select on table auth.users to anon'])
    expect(await copyGrants({ from, to })).toEqual({ copied: [], leftBehind })
  } finally {
    await Promise.all([from.end(), to.end()])
  }
})
