// GET /admin/users: a page of accounts, with the number of all and links to the other pages (RFC 8288).
import { type Answer, json } from '../../http/answer.ts'
import { invalid } from '../errors.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { listUsers } from '../store/user-list.ts'
import { AUDIENCE, userJson } from '../store/users.ts'

const PATH = '/auth/v1/admin/users'
const MAX_PAGE = 2 ** 31
const MAX_PER_PAGE = 1000

export async function listAllUsers({ database }: AuthService, { query }: AuthRequest): Promise<Answer> {
  const page = readWhole(query, 'page', 1, MAX_PAGE)
  const perPage = readWhole(query, 'per_page', 50, MAX_PER_PAGE)
  const filter = readFilter(query)
  const { users, total } = await listUsers(database.pool, {
    ...{ page, perPage, filter },
    ascending: readAscending(query),
  })
  const last = Math.max(Math.ceil(total / perPage), 1)
  return json({ users: users.map(userJson), aud: AUDIENCE }, 200, {
    'x-total-count': String(total),
    link: pageLinks(query, page, last),
  })
}

function readWhole(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const given = query.get(name) ?? ''
  if (given === '') return otherwise
  if (!/^\d{1,10}$/.test(given)) throw invalid(`Bad Pagination Parameters: ${name} must be a whole number`)
  return Math.min(Math.max(Number(given), 1), most)
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

function pageLinks(query: URLSearchParams, page: number, last: number): string {
  const to = (number: number) => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(number))
    return `<${PATH}?${parameters}>`
  }
  const next = page < last ? `${to(page + 1)}; rel="next", ` : ''
  return `${next}${to(last)}; rel="last"`
}
