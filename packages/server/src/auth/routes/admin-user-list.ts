// GET /admin/users: a page of accounts, with the number of all and links to the other pages.
import { type Answer, json } from '../../http/answer.ts'
import { invalid } from '../errors.ts'
import { pageLinks, readPage } from '../paging.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { listUsers } from '../store/user-list.ts'
import { AUDIENCE, userJson } from '../store/users.ts'

const PATH = '/auth/v1/admin/users'

export async function listAllUsers({ database }: AuthService, { query }: AuthRequest): Promise<Answer> {
  const { page, perPage } = readPage(query)
  const filter = readFilter(query)
  const { users, total } = await listUsers(database.pool, {
    page,
    perPage,
    filter,
    ascending: readAscending(query),
  })
  const last = Math.max(Math.ceil(total / perPage), 1)
  return json({ users: users.map(userJson), aud: AUDIENCE }, 200, {
    'x-total-count': String(total),
    link: pageLinks(PATH, query, page, last),
  })
}

function readFilter(query: URLSearchParams): string {
  const filter = query.get('filter') ?? ''
  if (filter.includes('\0')) throw invalid('filter must not contain NUL characters')
  return filter
}

/** `sort=created_at asc` or `desc`, the only column there is to sort by. */
function readAscending(query: URLSearchParams): boolean {
  const sort = query.get('sort') ?? ''
  const match = /^(?:created_at(?:[ :](asc|desc))?)?$/i.exec(sort)
  if (!match) {
    throw invalid(`Bad Sort Parameters: ${JSON.stringify(sort)} is not created_at asc or created_at desc`)
  }
  return match[1]?.toLowerCase() === 'asc'
}
