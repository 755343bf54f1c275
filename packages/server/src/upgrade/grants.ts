// Rights that an operator changed outside of migrations: granted or revoked again in the new database. The platform's
// own rights are only listed, because the next start sets them.
import type pg from 'pg'

type Clients = { from: pg.Client; to: pg.Client }

/** One privilege, as SQL writes its parts. */
interface Grant {
  /** `table public.tasks`, `routine public.add(a integer)`, … */
  thing: string
  schema: string
  column: string | null
  privilege: string
  grantee: string
  /** May be passed on. */
  grantable: boolean
  /** The owner's. */
  own: boolean
}

/** Schemas that a start lays itself. */
const PLATFORM = [
  ...['auth', 'storage', 'realtime', 'vault', 'graphql', 'graphql_public', 'net', 'cron', 'pgmq', 'sandbox'],
  ...['graphile_worker', 'supabase_functions', 'supabase_migrations'],
]

const GRANTS = `
  with named as (select oid, nspname, format('%I', nspname) as name from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'extensions')),
  things as (
    select case relkind when 'S' then 'sequence ' else 'table ' end || format('%s.%I', n.name, relname) as thing, nspname as schema,
      null::name as col, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)) as acl
    from pg_class join named n on n.oid = relnamespace where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'table ' || format('%s.%I', n.name, relname), nspname, attname, attacl from pg_attribute
    join pg_class c on c.oid = attrelid join named n on n.oid = relnamespace where attacl is not null and not attisdropped
    union all
    select 'routine ' || format('%s.%I(%s)', n.name, proname, pg_get_function_identity_arguments(p.oid)), nspname, null,
      coalesce(proacl, acldefault('f', proowner))
    from pg_proc p join named n on n.oid = pronamespace
    union all
    select 'type ' || format('%s.%I', n.name, typname), nspname, null, coalesce(typacl, acldefault('T', typowner))
    from pg_type join named n on n.oid = typnamespace where typtype in ('d', 'e', 'r')
    union all
    select 'schema ' || n.name, nspname, null, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace s join named n using (oid, nspname))
  select thing, schema, quote_ident(col) as column, privilege_type as privilege,
    case when grantee = 0 then 'public' else quote_ident(rolname) end as grantee, is_grantable as grantable,
    grantee = grantor as own
  from things, aclexplode(acl) left join pg_roles r on r.oid = grantee
  where privilege_type <> 'MAINTAIN' or $1
  order by thing, 3 nulls first, grantee, privilege`

const MEMBERS = `select format('%I to %I', g.rolname, m.rolname) as member from pg_auth_members
  join pg_roles g on g.oid = roleid join pg_roles m on m.oid = pg_auth_members.member order by 1`

/** Version of PostgreSQL that has the privilege MAINTAIN, by server_version_num. */
const KNOWS_MAINTAIN = 170_000

export interface Grants {
  /** Statements that were run. */
  copied: string[]
  /** Grants and revokes of the old database that the new one lacks. */
  leftBehind: string[]
}

/** Both have the same migrations. Copies in one transaction, as the superuser. */
export async function copyGrants({ from, to }: Clients): Promise<Grants> {
  const { rows: version } = await from.query<{ knows: boolean }>(
    `select current_setting('server_version_num')::int >= ${KNOWS_MAINTAIN} as knows`,
  )
  const read = async (client: pg.Client) =>
    new Map(
      (await client.query<Grant>(GRANTS, [version[0]?.knows])).rows.map((grant) => [keyOf(grant), grant]),
    )
  const [old, next] = [await read(from), await read(to)]
  const things = (grants: Map<string, Grant>) => new Set([...grants.values()].map(({ thing }) => thing))
  const [oldThings, nextThings] = [things(old), things(next)]
  const { rows: roles } = await to.query<{ name: string }>(
    'select quote_ident(rolname) as name from pg_roles',
  )
  const known = new Set(['public', ...roles.map(({ name }) => name)])
  // Includes the rights of owners on their own objects.
  const owners = new Set([...old.values(), ...next.values()].filter(({ own }) => own).map(holder))
  const lackedBy = (others: Map<string, Grant>, known: Set<string>, grants: Map<string, Grant>) =>
    [...grants].flatMap(([key, grant]) =>
      others.has(key) || !known.has(grant.thing) || owners.has(holder(grant)) ? [] : [grant],
    )
  const revoked = lackedBy(old, oldThings, next).map((grant) => ({ grant, statement: toRevoke(grant) }))
  const granted = lackedBy(next, nextThings, old).map((grant) => ({ grant, statement: toGrant(grant) }))
  const copied: string[] = []
  const leftBehind: string[] = []
  await to.query('begin')
  // Revokes come first: a privilege that lost its grant option is granted again without it.
  for (const { grant, statement } of [...revoked, ...granted]) {
    if (PLATFORM.includes(grant.schema) || !known.has(grant.grantee)) leftBehind.push(statement)
    else {
      await to.query(statement)
      copied.push(statement)
    }
  }
  await to.query('commit')
  const members = await Promise.all(
    [from, to].map(async (client) =>
      (await client.query<{ member: string }>(MEMBERS)).rows.map(({ member }) => member),
    ),
  )
  const [had = [], has = []] = members
  leftBehind.push(...had.filter((member) => !has.includes(member)).map((member) => `grant ${member}`))
  return { copied, leftBehind }
}

const holder = ({ thing, grantee }: Grant) => `${grantee} ${thing}`

const keyOf = ({ thing, column, privilege, grantee, grantable }: Grant) =>
  JSON.stringify([thing, column, privilege, grantee, grantable])

const what = ({ privilege, column, thing }: Grant) =>
  `${privilege.toLowerCase()}${column === null ? '' : ` (${column})`} on ${thing}`

const toGrant = (grant: Grant) =>
  `grant ${what(grant)} to ${grant.grantee}${grant.grantable ? ' with grant option' : ''}`

const toRevoke = (grant: Grant) => `revoke ${what(grant)} from ${grant.grantee} cascade`
