// Planned and estimated counts say nothing of rows that the caller may not see.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await fixture.sql(`
    create table api.letters (id int primary key, reader text, open boolean);
    insert into api.letters select n, case when n <= 3 then 'anon' else 'ada' end, false from generate_series(1, 5000) n;
    alter table api.letters enable row level security;
    create policy "own" on api.letters for select using (reader = current_user);
    create table api.pages (id int primary key, letter_id int references api.letters (id));
    insert into api.pages select n, n from generate_series(1, 5000) n;
    create view api.own_letters with (security_invoker) as select * from api.letters;
    create view api.few_letters as select id from api.letters where reader = 'anon';
    create table api.posters (id int primary key);
    insert into api.posters select generate_series(1, 5000);
    alter table api.posters enable row level security;
    create policy "everybody" on api.posters for select using (true);
    create table api.crowd (id int primary key, hidden boolean);
    insert into api.crowd select n, n % 2 = 0 from generate_series(1, 200100) n;
    alter table api.crowd enable row level security;
    create policy "shown" on api.crowd for select using (not hidden);
    analyze api.letters, api.pages, api.posters, api.crowd`)
  await fixture.reload()
})
afterAll(() => fixture?.stop())

async function range(path: string, count: string, key = fixture.server.publishableKey) {
  const headers = { prefer: `count=${count}`, apikey: key, 'range-unit': 'items' }
  const response = await fixture.askApi(path, { headers, method: 'HEAD' })
  return response.headers.get('content-range')
}

const COUNTS = ['planned', 'estimated']

test.each(COUNTS)('a %s count of a table whose rows are hidden counts those that are not', async (count) => {
  await fixture.configure({ db_max_rows: '2' })
  try {
    for (const path of ['/letters', '/own_letters', '/few_letters', '/pages?select=letters!inner(id)']) {
      expect([path, await range(path, count)]).toEqual([path, '0-1/3'])
    }
    const embedded = '/pages?select=id,letters()&letters=not.is.null'
    expect(await range(embedded, count)).toBe('0-1/3')
    expect(await range('/letters?id=gt.3', count)).toBe('*/0')
    expect(await range('/letters?or=(id.eq.1,id.eq.900)', count)).toBe('0-0/1')
    // No policy applies to the secret key, nor is anything hidden that everybody may read.
    expect(await range('/letters', count, fixture.server.secretKey)).toBe('0-1/5000')
    expect(await range('/posters', count)).toBe('0-1/5000')
    expect(await range('/pages', count)).toBe('0-1/5000')
  } finally {
    await fixture.configure({ db_max_rows: null })
  }
})

test('a restrictive policy hides rows behind one that shows them all', async () => {
  await fixture.sql(`create policy "first" on api.posters as restrictive for select to anon using (id < 8)`)
  try {
    expect(await range('/posters?limit=2', 'planned')).toBe('0-1/7')
  } finally {
    await fixture.sql(`drop policy "first" on api.posters`)
  }
  expect(await range('/posters?limit=2', 'planned')).toBe('0-1/5000')
})

test('a policy for others shows nothing', async () => {
  await fixture.sql(`alter policy "everybody" on api.posters to authenticated`)
  try {
    expect(await range('/posters?limit=2', 'planned')).toBe('*/0')
  } finally {
    await fixture.sql(`alter policy "everybody" on api.posters to public`)
  }
})

test('so many are counted and no more, and a page behind them is there all the same', async () => {
  expect(await range('/crowd?limit=5', 'planned')).toBe('0-4/100000')
  expect(await range('/crowd?limit=5&offset=100020', 'planned')).toBe('100020-100024/100025')
})

test('a guess is never less than the rows that are shown', async () => {
  await fixture.sql(`
    create table api.growing (id int primary key);
    insert into api.growing values (1);
    analyze api.growing;
    insert into api.growing select generate_series(2, 20)`)
  await fixture.reload()
  expect(await range('/growing?id=gt.1', 'planned')).toBe('0-18/19')
})
