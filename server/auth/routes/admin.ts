// The paths under /admin, all of which need the service role.
import type { Context, Hono } from 'hono'
import { readBody, readOptionalBody } from '../body.ts'
import { invalid } from '../errors.ts'
import { generateLink, generateLinkBody } from '../flows/invitations.ts'
import { type AuthService, adminRole, audience, originOf } from '../service.ts'
import { userJson } from '../store/users.ts'
import {
  type AdminOrigin,
  adminUserBody,
  changeUser,
  createUser,
  deleteUser,
  deleteUserBody,
  getUser,
  listUsers,
} from './admin-users.ts'

export function adminRoutes(app: Hono, service: AuthService): void {
  const adminOf = (c: Context): AdminOrigin => ({ ...originOf(c, service), role: adminRole(c) })

  app.get('/admin/users', async (c) => {
    adminRole(c)
    const page = readWhole(c, 'page', 1, 2 ** 31)
    const perPage = readWhole(c, 'per_page', 50, 1000)
    const { users, total } = await listUsers(service, {
      ...{ page, perPage },
      filter: readFilter(c),
      ascending: readAscending(c),
    })
    c.header('x-total-count', String(total))
    c.header('link', pageLinks(c, page, Math.max(Math.ceil(total / perPage), 1)))
    return c.json({ users: users.map(userJson), aud: audience })
  })
  app.post('/admin/users', async (c) => {
    const admin = adminOf(c)
    return c.json(userJson(await createUser(service, await readBody(c, adminUserBody), admin)))
  })
  app.get('/admin/users/:id', async (c) => {
    adminRole(c)
    return c.json(userJson(await getUser(service.database.pool, c.req.param('id'))))
  })
  app.put('/admin/users/:id', async (c) => {
    const admin = adminOf(c)
    const body = await readBody(c, adminUserBody)
    return c.json(userJson(await changeUser(service, c.req.param('id'), body, admin)))
  })
  app.delete('/admin/users/:id', async (c) => {
    const admin = adminOf(c)
    await deleteUser(service, c.req.param('id'), await readOptionalBody(c, deleteUserBody), admin)
    return c.json({})
  })
  app.post('/admin/generate_link', async (c) => {
    const admin = adminOf(c)
    return c.json(await generateLink(service, await readBody(c, generateLinkBody), admin))
  })
}

function readWhole(c: Context, name: string, otherwise: number, most: number): number {
  const asked = c.req.query(name)
  if (asked === undefined || asked === '') return otherwise
  if (!/^\d{1,10}$/.test(asked)) {
    throw invalid(`Bad Pagination Parameters: ${name} must be a whole number`)
  }
  return Math.min(Math.max(Number(asked), 1), most)
}

function readFilter(c: Context): string {
  const filter = c.req.query('filter') ?? ''
  if (filter.includes('\0')) throw invalid('filter must not contain NUL characters')
  return filter
}

/** `sort=created_at asc` or `desc`, the only column there is to sort by. */
function readAscending(c: Context): boolean {
  const sort = c.req.query('sort') ?? ''
  const [, direction = 'desc'] = /^(?:created_at(?:[ :](asc|desc))?)?$/i.exec(sort) ?? refuseSort(sort)
  return direction.toLowerCase() === 'asc'
}

function refuseSort(sort: string): never {
  throw invalid(`Bad Sort Parameters: ${JSON.stringify(sort)} is not created_at asc or created_at desc`)
}

function pageLinks(c: Context, page: number, last: number): string {
  const url = new URL(c.req.url)
  const to = (number: number) => {
    url.searchParams.set('page', String(number))
    return `<${url.pathname}${url.search}>`
  }
  const next = page < last ? `${to(page + 1)}; rel="next", ` : ''
  return `${next}${to(last)}; rel="last"`
}
