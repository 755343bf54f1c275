// The requests that the Data API is measured with, and the SQL that the server answers each of them with.

import { compile } from '@meadowlark/server/rest/query/compile.ts'
import { readRequest } from '@meadowlark/server/rest/request/request.ts'
import { readCatalogue } from '@meadowlark/server/rest/schema-cache/read.ts'
import { identity } from '@meadowlark/server/sql/roles.ts'
import pg from 'pg'
import { type BenchRequest, CLIENT_HEADERS } from './load.ts'
import type { Prepared } from './pgbench.ts'

export type RestCase = { name: string; role: 'anon' | 'authenticated'; request: BenchRequest }

const GIVER = 'giver:public_profiles!task_giver_id(full_name,rating,avatar_url,total_reviews,bio)'
const OPEN = `/rest/v1/tasks?select=*,${GIVER}&status=eq.open&order=created_at.desc`

export function restCases({ key, token, giver }: { key: string; token: string; giver: string }): RestCase[] {
  const anonymous = { ...CLIENT_HEADERS, apikey: key, authorization: `Bearer ${key}` }
  const signedIn = { ...anonymous, authorization: `Bearer ${token}` }
  const newest = { method: 'GET', path: encode(`${OPEN}&limit=5`) } as const
  const task = {
    task_giver_id: giver,
    title: 'Rake the leaves',
    description: 'Front and back, bags are in the shed by the fence.',
    category: 'Gardening',
    location: 'Saskatoon',
    pay_amount: 60,
  }
  return [
    {
      name: 'open tasks with their giver, newest five, anonymous',
      role: 'anon',
      request: { ...newest, headers: anonymous },
    },
    {
      name: 'open tasks with their giver, newest five, signed in',
      role: 'authenticated',
      request: { ...newest, headers: signedIn },
    },
    {
      name: 'insert a task, return=representation',
      role: 'authenticated',
      request: {
        method: 'POST',
        path: '/rest/v1/tasks?select=*',
        headers: { ...signedIn, 'content-type': 'application/json', prefer: 'return=representation' },
        body: JSON.stringify(task),
      },
    },
    {
      name: 'open tasks with their giver, a list of 100',
      role: 'authenticated',
      request: { method: 'GET', path: encode(`${OPEN}&limit=100`), headers: signedIn },
    },
    {
      name: 'count of open tasks',
      role: 'authenticated',
      request: {
        method: 'HEAD',
        path: '/rest/v1/tasks?select=*&status=eq.open',
        headers: { ...signedIn, prefer: 'count=exact' },
      },
    },
  ]
}

/** As URLSearchParams of supabase-js writes it. */
function encode(path: string): string {
  const [before, query] = path.split('?') as [string, string]
  return `${before}?${new URLSearchParams(query)}`
}

/** The role switch and the statement that the server sends for `one`, without the values that only HTTP has. */
export async function statementsOf(url: string, one: RestCase, claims: object): Promise<Prepared[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    const catalogue = await readCatalogue(pool, ['public'], ['public', 'extensions'])
    const { method, path, headers, body } = one.request
    const [name = '', query = ''] = path.replace('/rest/v1', '').split('?')
    const request = readRequest(
      { method, path: name, query, headers, body: Buffer.from(body ?? '') },
      { schemas: ['public'], allowTx: true, rootSpec: null },
    )
    const { template, readOnly } = compile(request, catalogue, {
      maxRows: 1000,
      aggregates: false,
      explain: false,
    })
    const { payload } = request
    const values = template.slots.map((slot) => {
      if ('value' in slot) return request.query.values[slot.value] ?? null
      if ('constant' in slot) return slot.constant
      return payload?.kind === 'json' ? payload.text : null
    })
    return [roleSwitch(one, claims, readOnly), { text: template.text, values }]
  } finally {
    await pool.end()
  }
}

function roleSwitch({ role, request }: RestCase, claims: object, readOnly: boolean): Prepared {
  const { text, values = [] } = identity(
    role,
    {
      search_path: '"public", "extensions"',
      'request.jwt.claims': JSON.stringify(claims),
      'request.method': request.method,
      'request.path': request.path.split('?')[0]?.replace('/rest/v1', '') ?? '',
      'request.headers': JSON.stringify(request.headers),
      'request.cookies': '{}',
    },
    readOnly,
  )
  return { text, values: [...values] }
}
