// GET /admin/audit: what people and administrators did to accounts, newest first, page by page.
import { type Answer, json } from '../../http/answer.ts'
import { invalid } from '../errors.ts'
import { pageLinks, readPage } from '../paging.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { type AuditFilter, listAuditEntries } from '../store/audit-list.ts'

const PATH = '/auth/v1/admin/audit'

/** The fields of an entry that each scope of the parameter `query` looks at. */
const SCOPES: Record<string, readonly string[]> = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
}

/** `query` is `author:`, `action:` or `type:` and a part of what the entry says. Throws validation_failed. */
export async function listAudit({ database }: AuthService, { query }: AuthRequest): Promise<Answer> {
  const { page, perPage } = readPage(query)
  const filter = readFilter(query.get('query') ?? '')
  const { entries, total } = await listAuditEntries(database.pool, { page, perPage, filter })
  const last = Math.max(Math.ceil(total / perPage), 1)
  return json(entries, 200, {
    'x-total-count': String(total),
    link: pageLinks(PATH, query, page, last),
  })
}

function readFilter(query: string): AuditFilter | null {
  if (query === '') return null
  if (query.includes('\0')) throw invalid('query must not contain NUL characters')
  const [, scope = '', text = ''] = /^([^:]*):(.*)$/s.exec(query) ?? []
  const fields = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined
  if (!fields) throw invalid(`Invalid query scope: ${query}`)
  return { fields, text }
}
