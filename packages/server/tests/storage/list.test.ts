// Listings through storage-js: folders, order, search and pages, by offset and by cursor, against a plain model.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import { bareJson, errorOf, makeBucket, migrate, openBucket, startStorage } from './storage.ts'

const { server, service, grace } = await startStorage()

const NAMES = [
  'a',
  'a-b',
  'a.txt',
  'a/1.txt',
  'a/2.txt',
  'a/deep/er/3.txt',
  'a0',
  'B/x.txt',
  'b/x.txt',
  'b_c/y%.txt'.replace('%', '!'),
  'folder/one.png',
  'folder/Two.png',
  'folder/three.png',
  'Über/ñ.txt',
  'z',
]

/** Rows alone: a listing reads no bytes. Each a second younger than the one before. */
async function fill(bucket: string, names: string[]): Promise<void> {
  await server.database.pool.query(
    `insert into storage.objects (bucket_id, name, version, metadata, created_at, updated_at)
     select $1, name, gen_random_uuid()::text, '{"size": 1}',
       timestamptz '2026-01-01' + place * interval '1 second', timestamptz '2026-02-01' - place * interval '1 second'
     from unnest($2::text[]) with ordinality as each_name(name, place)`,
    [bucket, names],
  )
}

beforeAll(async () => {
  await makeBucket(service, 'tree')
  await fill('tree', NAMES)
})

const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Entries directly below the prefix: files by their names, folders with a slash at the end. */
function entriesBelow(names: string[], prefix: string): string[] {
  const below = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .map((rest) => (rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : rest))
  return [...new Set(below)].sort(bytewise)
}

type Found = { name: string; id: string | null }
const shown = (found: Found[] | null) => found?.map(({ name, id }) => (id === null ? `${name}/` : name))

describe('list', () => {
  const list = async (...args: Parameters<ReturnType<typeof service.storage.from>['list']>) => {
    const { data, error } = await service.storage.from('tree').list(...args)
    expect(error).toBeNull()
    return shown(data)
  }

  test.each(['', 'a', 'a/deep', 'folder', 'Über', 'nothing', 'b'])('shows what is below %j', async (path) => {
    expect(await list(path)).toEqual(entriesBelow(NAMES, path === '' ? '' : `${path}/`))
    expect(await list(path, { sortBy: { column: 'name', order: 'desc' } })).toEqual(
      entriesBelow(NAMES, path === '' ? '' : `${path}/`).reverse(),
    )
  })

  test('has Supabase’s fields of a file, of a folder only its name', async () => {
    const { data } = await service.storage.from('tree').list('a')
    expect(data?.[0]).toEqual({
      name: '1.txt',
      id: expect.any(String),
      created_at: '2026-01-01T00:00:04.000Z',
      updated_at: expect.any(String),
      last_accessed_at: expect.any(String),
      metadata: { size: 1 },
    })
    expect(data?.[2]).toEqual({
      name: 'deep',
      id: null,
      created_at: null,
      updated_at: null,
      last_accessed_at: null,
      metadata: null,
    })
  })

  test('pages by limit and offset', async () => {
    const all = entriesBelow(NAMES, '')
    for (let offset = 0; offset <= all.length; offset += 4) {
      expect(await list('', { limit: 4, offset })).toEqual(all.slice(offset, offset + 4))
    }
  })

  test('sorts by time, folders first', async () => {
    expect(await list('', { sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
      ...['B/', 'a/', 'b/', 'b_c/', 'folder/', 'Über/'],
      ...['a', 'a-b', 'a.txt', 'a0', 'z'],
    ])
    expect(await list('folder', { sortBy: { column: 'updated_at', order: 'asc' } })).toEqual([
      'three.png',
      'Two.png',
      'one.png',
    ])
    expect(await list('', { sortBy: { column: 'created_at', order: 'desc' }, limit: 2, offset: 6 })).toEqual([
      'z',
      'a0',
    ])
  })

  test('searches by the beginning of names in either case; nothing in it is a pattern', async () => {
    expect(await list('folder', { search: 't' })).toEqual(['Two.png', 'three.png'])
    expect(await list('', { search: 'b' })).toEqual(['B/', 'b/', 'b_c/'])
    expect(await list('', { search: '%' })).toEqual([])
    expect(await list('', { search: 'b_' })).toEqual(['b_c/'])
  })

  test('finds by a path what is deeper, named from the folder on', async () => {
    for (const column of ['name', 'created_at']) {
      const sortBy = { column, order: 'asc' }
      expect(await list('', { search: 'a/deep/er/3.txt', sortBy })).toEqual(['a/deep/er/3.txt'])
      expect(await list('', { search: 'A/deep/', sortBy })).toEqual(['a/deep/er/'])
      expect(await list('a', { search: 'deep/er/', sortBy })).toEqual(['deep/er/3.txt'])
      expect(await list('a', { search: 'deep/er/3', sortBy })).toEqual(['deep/er/3.txt'])
      expect(await list('a', { search: 'deep/e', sortBy })).toEqual(['deep/er/'])
      expect(await list('a', { search: 'deep', sortBy })).toEqual(['deep/'])
      expect(await list('a', { search: 'x/y/3.txt', sortBy })).toEqual([])
      expect(await list('', { search: 'a/', sortBy })).toEqual(
        ['a/deep/', 'a/1.txt', 'a/2.txt'].sort(column === 'name' ? bytewise : () => 0),
      )
    }
  })

  test('of a bucket that is not there is empty', async () => {
    expect((await service.storage.from('nowhere').list()).data).toEqual([])
  })

  test.each([
    [{}, "body must have required property 'prefix'"],
    [{ prefix: 1 }, 'body/prefix must be string'],
    [{ prefix: '', limit: 0 }, 'body/limit must be >= 1'],
    [{ prefix: '', limit: 1.5 }, 'body/limit must be integer'],
    [{ prefix: '', offset: -1 }, 'body/offset must be >= 0'],
    [
      { prefix: '', sortBy: { column: 'owner' } },
      'body/sortBy/column must be equal to one of the allowed values',
    ],
    [{ prefix: '', sortBy: {} }, "body/sortBy must have required property 'column'"],
    [[], 'body must be object'],
    [null, 'body must be object'],
  ])('refuses %j', async (body, message) => {
    const answer = await bareJson(server, '/object/list/tree', body, { key: server.secretKey })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ statusCode: '400', error: 'Error', message })
  })
})

describe('listV2', () => {
  type Options = NonNullable<Parameters<ReturnType<typeof service.storage.from>['listV2']>[0]>
  async function pages(options: Options, bucket = 'tree') {
    const found: { folders: string[]; objects: string[] }[] = []
    for (let cursor: string | undefined; ; ) {
      const { data, error } = await service.storage.from(bucket).listV2({ ...options, cursor })
      expect(error).toBeNull()
      found.push({
        folders: data?.folders.map(({ name }) => name) ?? [],
        objects: data?.objects.map(({ name }) => name) ?? [],
      })
      cursor = data?.nextCursor
      expect(data?.hasNext).toBe(cursor !== undefined)
      if (cursor === undefined || found.length > 100) return found
    }
  }
  const together = async (options: Options) => {
    const all = await pages(options)
    return { folders: all.flatMap(({ folders }) => folders), objects: all.flatMap(({ objects }) => objects) }
  }

  test('shows everything below a prefix, or folder by folder', async () => {
    expect((await together({})).objects).toEqual([...NAMES].sort(bytewise))
    expect((await together({ prefix: 'a' })).objects).toEqual(
      NAMES.filter((name) => name.startsWith('a')).sort(bytewise),
    )
    const { data } = await service.storage.from('tree').listV2({ prefix: 'a/', with_delimiter: true })
    expect(data).toEqual({
      hasNext: false,
      folders: [{ key: 'deep', name: 'a/deep/' }],
      objects: [
        expect.objectContaining({ key: '1.txt', name: 'a/1.txt', metadata: { size: 1 } }),
        expect.objectContaining({ key: '2.txt', name: 'a/2.txt' }),
      ],
    })
  })

  test.each([
    ['a', undefined, ['a'], ['a', 'a-b', 'a.txt', 'a0']],
    ['a-', undefined, [], ['a-b']],
    ['folder/T', undefined, [], ['Two.png']],
    ['folder/t', 'created_at', [], ['three.png']],
    ['fold', 'created_at', ['folder'], []],
    ['a/de', undefined, ['deep'], []],
  ] as const)('keeps whole keys below %j, sorted by %s', async (prefix, column, folders, objects) => {
    const { data } = await service.storage
      .from('tree')
      .listV2({ prefix, with_delimiter: true, ...(column && { sortBy: { column } }) })
    expect([data?.folders.map(({ key }) => key), data?.objects.map(({ key }) => key)]).toEqual([
      folders,
      objects,
    ])
  })

  test.each([1, 2, 3, 7])('pages by cursor, %i at a time, in every order', async (limit) => {
    for (const with_delimiter of [false, true]) {
      for (const column of ['name', 'created_at', 'updated_at'] as const) {
        for (const order of ['asc', 'desc'] as const) {
          const options = { with_delimiter, sortBy: { column, order } }
          expect(await together({ ...options, limit })).toEqual(await together(options))
        }
      }
    }
  })

  test('by time separates objects written in one instant', async () => {
    await makeBucket(service, 'instant')
    await server.database.pool.query(
      `insert into storage.objects (bucket_id, name, created_at) select 'instant', 'n' || n, '2026-01-01 00:00:00.123456'
       from generate_series(1, 9) n`,
    )
    const found = await pages({ limit: 2, sortBy: { column: 'created_at', order: 'asc' } }, 'instant')
    expect(found.flatMap(({ objects }) => objects)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `n${n}`))
  })

  test('refuses a cursor that is none', async () => {
    for (const cursor of ['nonsense', Buffer.from('{"after":1}').toString('base64'), '%%%']) {
      const { error } = await service.storage.from('tree').listV2({ cursor })
      expect(errorOf(error)).toEqual({
        status: 400,
        statusCode: '400',
        message: 'Invalid Parameter continuation token',
      })
    }
  })
})

test('any tree of names is listed as the model says, whole and in pages', async () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'A', '0', '-', 'é', ' ', '.x', '😀'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  await makeBucket(service, 'any')
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      async (names, limit) => {
        await server.database.transaction(async (client) => {
          await client.query(`set local storage.allow_delete_query = 'true'`)
          await client.query(`delete from storage.objects where bucket_id = 'any'`)
        })
        await fill('any', names)
        const folders = ['', ...new Set(names.map((one) => one.split('/')[0] as string))]
        for (const folder of folders.slice(0, 3)) {
          const wanted = entriesBelow(names, folder === '' ? '' : `${folder}/`)
          const found: string[] = []
          for (let offset = 0; offset <= wanted.length; offset += limit) {
            const { data } = await service.storage.from('any').list(folder, { limit, offset })
            found.push(...(shown(data) ?? []))
          }
          expect(found).toEqual(wanted)
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('shows of a full bucket only what the policies show', async () => {
  expect((await grace.storage.from('tree').list()).data).toEqual([])
  await migrate(
    server,
    `create policy "sees folders of a" on storage.objects for select to authenticated
     using (bucket_id = 'tree' and (storage.foldername(name))[1] = 'a')`,
  )
  expect(shown((await grace.storage.from('tree').list()).data)).toEqual(['a/'])
  expect((await grace.storage.from('tree').listV2()).data?.objects).toHaveLength(3)
  expect((await stranger(server).storage.from('tree').list()).data).toEqual([])
})

test('gives so many at once and no more', async () => {
  await makeBucket(service, 'much')
  await fill(
    'much',
    Array.from({ length: 1600 }, (_, at) => `${at}`),
  )
  expect((await service.storage.from('much').list('', { limit: 5000 })).data).toHaveLength(1500)
  const { data } = await service.storage.from('much').listV2({ limit: 5000 })
  expect([data?.objects.length, data?.hasNext]).toEqual([1000, true])
})

test('a folder of many costs no more than one of few', async () => {
  await makeBucket(service, 'many')
  await openBucket(server, 'many')
  await server.database.pool.query(
    `insert into storage.objects (bucket_id, name) select 'many', 'full/' || (n % 50) || '/' || n
     from generate_series(1, 60000) n`,
  )
  await server.database.pool.query('analyze storage.objects')
  const { rows } = await server.database.transaction(async (client) => {
    // Under policies, where PostgreSQL uses an index only for what cannot leak.
    await client.query('set local role authenticated')
    return client.query(
      `explain (analyze, buffers, format json)
       select * from storage.search('full/', 'many', 100, 1, 0, '', 'name', 'asc')`,
    )
  })
  const plan = rows[0]['QUERY PLAN'][0].Plan
  expect(plan['Actual Rows']).toBe(50)
  // 50 folders, a handful of pages each and what the policies read for them; reading all 60,000 rows would be more than that.
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(1000)
})
