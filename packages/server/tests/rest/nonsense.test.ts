// Malformed requests by the thousand: none may be answered with a 5xx, or late.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { amount } from '../support/soak.ts'
import { type Fixture, latin, makeDomains, makeTexts, openFixture } from './fixture.ts'

/** Small in the gate; `MALFORMED_REQUESTS=10000` is the whole of it. */
const REQUESTS = amount({ gate: 500, soak: 10_000 })

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await makeDomains(fixture)
  await makeTexts(fixture)
})
afterAll(() => fixture?.stop())

const ask: Fixture['askApi'] = (...request) => fixture.askApi(...request)

describe('nonsense', () => {
  test(`${REQUESTS} malformed requests, none answered with a 5xx`, async () => {
    const piece = fc.constantFrom(
      ...[
        'select',
        'order',
        'limit',
        'offset',
        'and',
        'or',
        'not',
        'columns',
        'on_conflict',
        'id',
        'body',
        'doc',
      ],
      ...[
        '=',
        '&',
        '.',
        ',',
        '(',
        ')',
        '!',
        ':',
        '::',
        '->',
        '->>',
        '"',
        '*',
        '{',
        '}',
        '...',
        '-',
        '\\',
        '%',
        '%00',
        '%ff',
        '+',
      ],
      ...[
        'eq',
        'in',
        'is',
        'fts',
        'like(any)',
        'null',
        'true',
        '1',
        '-1',
        '99999999999999999999',
        'é',
        '\u{1f426}',
        ' ',
      ],
      ...[
        'clients',
        'tasks',
        'projects',
        'inner',
        'swatches',
        'color',
        'day',
        'count()',
        'sum()',
        'x',
        'int',
        'text',
        'asc',
        'nullsfirst',
      ],
      // Properties of every object, and preferences.
      ...['constructor', '__proto__', 'toString', 'handling=strict', 'max-affected=', 'count=exact', 'tx='],
    )
    const nonsense = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    const value = fc.oneof(
      nonsense,
      nonsense.map((text) => `eq.${text}`),
      nonsense.map((text) => `(${text})`),
    )
    const query = fc
      .array(
        fc.tuple(
          fc.constantFrom(
            'select',
            'order',
            'id',
            'or',
            'and',
            'limit',
            'tasks.id',
            'columns',
            'on_conflict',
          ),
          value,
        ),
        { maxLength: 3 },
      )
      .map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURI(text).replaceAll('#', '')}`).join('&'))
    const body = fc.oneof(
      nonsense,
      fc.json(),
      fc.jsonValue().map((json) => JSON.stringify({ id: json })),
    )
    const request = fc.record({
      method: fc.constantFrom(
        'GET',
        'GET',
        'GET',
        'HEAD',
        'POST',
        'PATCH',
        'PUT',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'SEARCH',
      ),
      path: fc.oneof(
        fc.constantFrom('/tasks', '/projects', '/rpc/add', '/rpc/all_projects', '/texts', '/', '/swatches'),
        fc.constantFrom('/rpc/page', '/rpc/picture', '/rpc/swatches_of', '/rpc/anything', '/palettes'),
        nonsense.map((text) => `/${encodeURIComponent(text)}`),
      ),
      query: fc.oneof(query, nonsense.map(encodeURI)),
      body,
      headers: fc.record(
        {
          prefer: nonsense.map(latin),
          range: nonsense.map(latin),
          accept: fc.oneof(
            nonsense.map(latin),
            fc.constantFrom(
              'text/csv',
              'application/vnd.pgrst.object+json',
              'application/vnd.pgrst.plan+json; for="',
              'text/html',
              'image/x-tiny, */*;q=0.1',
              'application/vnd.rows+json',
              'application/geo+json',
            ),
          ),
          'content-type': fc.oneof(
            nonsense.map(latin),
            fc.constantFrom(
              'application/json',
              'text/csv',
              'text/plain',
              'application/x-www-form-urlencoded',
            ),
          ),
        },
        { requiredKeys: [] },
      ),
    })
    const wrong: unknown[] = []
    const samples = fc
      .sample(request, { numRuns: REQUESTS, seed: 42 })
      .filter(({ method }) => method !== 'TRACE')
    const worker = async () => {
      for (let next = samples.pop(); next; next = samples.pop()) {
        const { method, path, query: text, body: content, headers } = next
        const withBody = method !== 'GET' && method !== 'HEAD'
        const response = await ask(`${path}?${text.replaceAll('#', '%23')}`, {
          method,
          headers: { ...headers, prefer: `tx=rollback, ${headers.prefer ?? ''}` },
          ...(withBody ? { body: content } : {}),
        }).catch((error: Error) => ({ status: 0, text: async () => String(error.cause ?? error) }))
        const answer = await response.text()
        if (response.status >= 500 || response.status === 0) wrong.push([response.status, next, answer])
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(wrong).toEqual([])
  })
})
