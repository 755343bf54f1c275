// The real server over a fresh database with the fixture's schemas exposed, and ways to ask it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PostgrestClient } from '@supabase/postgrest-js'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the fixture's tables have no generated types.
type Any = any
type Client = PostgrestClient<Any, { PostgrestVersion: '14' }, 'api'>

export type Fixture = {
  server: TestServer
  /** postgrest-js as a stranger, in the schema `api`. */
  api: Client
  /** The same with other headers. */
  as(headers: Record<string, string>): Client
  /** A raw request as a stranger: `ask('/tasks?id=eq.1')`. */
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The same in the schema `api`, whatever the method. */
  askApi(path: string, init?: RequestInit): Promise<Response>
  /** A raw request on `api` with a JSON body, or a text as it is. */
  send(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>
  /** SQL as the owner. */
  sql<Row = Any>(text: string, values?: unknown[]): Promise<Row[]>
  /** Changes PostgREST settings of this database and waits until they hold. */
  configure(settings: Record<string, string | null>): Promise<void>
  /** Runs DDL and waits until the server knows. */
  reload(): Promise<void>
  stop(): Promise<void>
}

/** Starts it in about a second. */
export async function openFixture(options?: TestServerOptions): Promise<Fixture> {
  const server = await startTestServer(options)
  const pool = server.database.pool
  const [database] = (await pool.query('select current_database() as name')).rows
  await pool.query(readFileSync(fileURLToPath(new URL('fixture.sql', import.meta.url)), 'utf8'))
  const key = { apikey: server.publishableKey }
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/rest/v1${path}`, { ...init, headers: { ...key, ...init.headers } })
  const askApi = (path: string, init: RequestInit = {}) =>
    ask(path, { ...init, headers: { 'accept-profile': 'api', 'content-profile': 'api', ...init.headers } })
  const as = (headers: Record<string, string>) =>
    new PostgrestClient<Any, { PostgrestVersion: '14' }, 'api'>(`${server.url}/rest/v1`, {
      headers: { ...key, ...headers },
      schema: 'api',
    })
  let marks = 0
  const fixture: Fixture = {
    server,
    api: as({}),
    as,
    ask,
    askApi,
    send: (method, path, { body, headers } = {}) =>
      askApi(path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    async configure(settings) {
      for (const [name, value] of Object.entries(settings)) {
        const change = value === null ? `reset pgrst.${name}` : `set pgrst.${name} = '${value}'`
        await pool.query(`alter role authenticator in database "${database.name}" ${change}`)
      }
      await fixture.reload()
    },
    async reload() {
      // A function of a new name is visible only to a schema cache read after it was made.
      const mark = `mark_${++marks}`
      await pool.query(`create function api.${mark}() returns int language sql as 'select 1'`)
      await pool.query(`notify pgrst`)
      for (let attempt = 0; attempt < 3000; attempt++) {
        const response = await ask(`/rpc/${mark}`, { method: 'POST', headers: { 'content-profile': 'api' } })
        if (response.ok) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error('the schema cache was not reloaded')
    },
    stop: () => server.stop(),
  }
  await fixture.configure({ db_schemas: 'api, other' })
  return fixture
}

/** The fixture's items: these two, and nothing left of what was written before. */
export async function freshItems(fixture: Fixture): Promise<void> {
  await fixture.sql('truncate api.items restart identity')
  await fixture.sql(
    `insert into api.items (id, name, slug, amount) values (1, 'one', 'a', 1), (2, 'two', 'b', 2)`,
  )
}

/** Runs domains.sql; the server knows its objects after the next reload(). */
export async function makeDomains(fixture: Fixture): Promise<void> {
  await fixture.sql(readFileSync(fileURLToPath(new URL('domains.sql', import.meta.url)), 'utf8'))
}

/** A table for generated texts: api.texts. */
export async function makeTexts(fixture: Fixture): Promise<void> {
  await fixture.sql(`
    create table api.texts (id int primary key, body text, num int, doc jsonb, tags text[]);
    grant all on api.texts to anon`)
  await fixture.reload()
}

/** A parameter of a query string. */
export const pair = (name: string, value: string) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

/** The part of a text that a header can carry. */
export const latin = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')
