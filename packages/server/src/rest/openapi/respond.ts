// GET of the root: the OpenAPI description of what the caller's role may see.
// Reference: PostgREST 14, "OpenAPI".
import type { Caller } from '../../http/authenticator.ts'
import type { Database } from '../../sql/database.ts'
import { fromConnection, fromDatabase } from '../errors/database-errors.ts'
import { noSuchMediaType, openApiOff } from '../errors/errors.ts'
import { contentType, mediaTypeName } from '../request/media.ts'
import type { RestRequest } from '../request/request.ts'
import type { Answer } from '../response/respond.ts'
import type { Snapshot } from '../schema-cache/cache.ts'
import { keyOf } from '../schema-cache/types.ts'
import { describeApi } from './document.ts'

/** Objects on which the current role has any right; $1 is the schema. */
const VISIBLE = `
select
  (select coalesce(json_agg(c.relname), '[]') from pg_class c
   where c.relnamespace = n.oid and (
     pg_has_role(c.relowner, 'usage')
     or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
     or has_any_column_privilege(c.oid, 'select, insert, update, references'))),
  (select coalesce(json_agg(distinct p.proname), '[]') from pg_proc p
   where p.pronamespace = n.oid and has_function_privilege(p.oid, 'execute')),
  obj_description(n.oid, 'pg_namespace')
from pg_namespace n where n.nspname = $1`

/** Throws PGRST107 and PGRST126. `publicUrl` is where clients reach the server. */
export async function respondOpenApi(
  database: Database,
  request: RestRequest,
  caller: Caller,
  { settings, catalogue }: Snapshot,
  publicUrl: string,
): Promise<Answer> {
  if (settings.openApi === 'disabled') throw openApiOff()
  const produced = ['openapi', 'json', 'any']
  if (!request.accept.some(({ kind }) => produced.includes(kind))) {
    throw noSuchMediaType(request.accept.map(mediaTypeName))
  }
  const [tables, functions, description] = await visible(database, request.schema, caller)
  const everything = settings.openApi === 'ignore-privileges'
  const seen = (names: ReadonlySet<string>, name: string) => everything || names.has(name)
  const document = describeApi({
    description,
    url: settings.openApiUrl ?? `${publicUrl.replace(/\/$/, '')}/rest/v1/`,
    security: settings.openApiSecurity,
    tables: [...catalogue.tables.values()].filter(
      (table) => table.schema === request.schema && seen(tables, table.name),
    ),
    routines: [...catalogue.routines.values()]
      .flat()
      .filter((routine) => routine.schema === request.schema && seen(functions, routine.name)),
    relationships: (table) => catalogue.relationships.get(keyOf(table)) ?? [],
  })
  const headers: Record<string, string> = { 'Content-Type': contentType({ kind: 'openapi' }) }
  if (request.negotiated) headers['Content-Profile'] = request.schema
  return {
    status: 200,
    headers,
    body: request.method === 'HEAD' ? null : Buffer.from(JSON.stringify(document)),
  }
}

async function visible(
  database: Database,
  schema: string,
  caller: Caller,
): Promise<[Set<string>, Set<string>, string | null]> {
  try {
    const [result] = await database
      .as(caller, { 'request.jwt.claims': JSON.stringify(caller.claims) })
      .query([{ text: VISIBLE, values: [schema] }], { readOnly: true })
    const [tables, functions, description] = result?.rows[0] ?? []
    const names = (json: string | null | undefined) => new Set<string>(JSON.parse(json ?? '[]'))
    return [names(tables), names(functions), description ?? null]
  } catch (error) {
    const { code } = error as { code?: string }
    throw code && /^[0-9A-Z]{5}$/.test(code)
      ? fromDatabase(error as never, caller.role === 'anon')
      : fromConnection(error as Error)
  }
}
