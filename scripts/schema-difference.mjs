// The SQL that brings a database from one catalogue (packages/server/src/postgres/migrate/catalogue.ts) to another:
// the definitions of what is new or changed, taken from supabase/schemas as they are written there. A change that
// cannot be derived safely is left as a gap.

/** Marks what a person has to write. A test refuses a migration that has it. */
export const GAP = '-- FILL IN:'

/** Kinds of objects that one statement of the schema files defines, in the order in which they are created. */
const DEFINED = [
  { kind: 'type', find: (name) => defined('type', name) },
  { kind: 'relation', find: (name) => defined('table', name) },
  // Before what calls them: defaults and checks.
  {
    kind: 'function',
    find: (name) => defined('function', name.slice(0, name.indexOf('('))),
    replaces: /^create function/i,
  },
  { kind: 'column' },
  { kind: 'constraint' },
  {
    kind: 'view',
    find: (name) => defined('view', name),
    drop: (name) => `drop view ${name};`,
    replaces: /^create view/i,
  },
  {
    kind: 'index',
    find: (name) => defined('(?:unique )?index', name.slice(name.indexOf('.') + 1)),
    drop: (name) => `drop index ${name};`,
  },
  {
    kind: 'statistics',
    find: (name) => defined('statistics', name),
    drop: (name) => `drop statistics ${name};`,
  },
  {
    kind: 'trigger',
    find: (name) => definedOn('(?:constraint )?trigger', name),
    drop: (name) => `drop trigger ${partOf(name)} on ${tableOf(name)};`,
  },
  {
    kind: 'policy',
    find: (name) => definedOn('policy', name),
    drop: (name) => `drop policy ${partOf(name)} on ${tableOf(name)};`,
  },
]

/**
 * The text of the next migration; empty if the two are alike.
 * @param {{ kind: string, name: string, definition: string }[]} now the catalogue that the migrations make
 * @param {typeof now} wanted the catalogue that the schema files make
 * @param {string[]} statements every statement of the schema files, without its semicolon
 */
export function differenceOf(now, wanted, statements) {
  const before = byKind(now)
  const after = byKind(wanted)
  return [
    ...DEFINED.flatMap((kind) => definitions(kind, { before, after, statements })),
    ...goneFunctions(before, after),
    ...grants(before, after),
    ...comments(before, after),
    ...publications(before, after),
    ...rows(before, after, statements),
  ].join('\n\n')
}

/** Definitions by name, by kind. */
function byKind(entries) {
  const kinds = new Map()
  for (const { kind, name, definition } of entries) {
    if (!kinds.has(kind)) kinds.set(kind, new Map())
    kinds.get(kind).set(name, definition)
  }
  return { of: (kind) => kinds.get(kind) ?? new Map() }
}

function definitions({ kind, find, drop, replaces }, { before, after, statements }) {
  const [old, fresh] = [before.of(kind), after.of(kind)]
  const tables = { before: before.of('relation'), after: after.of('relation') }
  const sql = []
  for (const name of old.keys()) {
    if (fresh.has(name) || kind === 'function' || isPartOfView(kind, name, tables.before)) continue
    sql.push(kind === 'constraint' ? dropConstraint(name) : (drop?.(name) ?? gap(kind, name, 'is gone')))
  }
  for (const [name, definition] of fresh) {
    if (old.get(name) === definition || isPartOfView(kind, name, tables.after)) continue
    // A new table brings its columns and constraints.
    if (!find && !tables.before.has(tableOf(name))) continue
    const text = statements.find((statement) => find?.(name).test(statement))
    if (!old.has(name)) sql.push(added({ kind, name, definition, text }))
    else if (kind === 'constraint') sql.push(`${dropConstraint(name)}\n${addConstraint(name, definition)}`)
    else if (text && replaces)
      sql.push(`${text.replace(replaces, (words) => words.replace(/ /, ' or replace '))};`)
    else if (text && drop) sql.push(`${drop(name)}\n${text};`)
    else if (kind === 'column' && withoutDefault(old.get(name)) === withoutDefault(definition))
      sql.push(setDefault(name, definition))
    else sql.push(gap(kind, name, `is "${definition}" instead of "${old.get(name)}"`))
  }
  return sql
}

/** Functions go last, because triggers, policies and views that are dropped or replaced above depend on them. */
const goneFunctions = (before, after) =>
  [...before.of('function').keys()]
    .filter((name) => !after.of('function').has(name))
    .map((name) => `drop function ${name};`)

/** The relation itself and the columns of a view follow from the view's definition. */
function isPartOfView(kind, name, relations) {
  if (kind !== 'relation' && kind !== 'column') return false
  return relations.get(kind === 'column' ? tableOf(name) : name)?.startsWith('v')
}

function added({ kind, name, definition, text }) {
  if (kind === 'constraint') return addConstraint(name, definition)
  if (kind === 'column') {
    const column = `alter table ${tableOf(name)} add column ${partOf(name)} ${definition};`
    if (!definition.endsWith('not null') || / (default|generated) /.test(definition)) return column
    return `${gap(kind, name, 'is not null and has no default; give existing rows a value')}\n${column}`
  }
  if (!text) return gap(kind, name, 'is in no file of supabase/schemas')
  const rowSecurity = kind === 'relation' && definition.startsWith('r t')
  return `${text};${rowSecurity ? `\nalter table ${name} enable row level security;` : ''}`
}

const DEFAULT = / default (.*?)(?= not null$|$)/
const withoutDefault = (definition) => definition.replace(DEFAULT, '')

/** Rows that exist keep their values. */
function setDefault(name, definition) {
  const value = DEFAULT.exec(definition)?.[1]
  return `alter table ${tableOf(name)} alter column ${partOf(name)} ${value ? `set default ${value}` : 'drop default'};`
}

const addConstraint = (name, definition) =>
  `alter table ${tableOf(name)} add constraint ${partOf(name)} ${definition};`
const dropConstraint = (name) => `alter table ${tableOf(name)} drop constraint ${partOf(name)};`

/** Rights are "<role> <PRIVILEGE>", joined by ", ". */
function grants(before, after) {
  const sql = []
  for (const what of ['schema', 'type', 'relation', 'column', 'function']) {
    const [old, fresh] = [before.of(`grant on ${what}`), after.of(`grant on ${what}`)]
    for (const name of new Set([...old.keys(), ...fresh.keys()])) {
      // Rights go with what they are on.
      if (before.of(what).has(name) && !after.of(what).has(name)) continue
      const [had, has] = [old, fresh].map((rights) => new Set(rights.get(name)?.split(', ')))
      sql.push(
        ...rights(
          [...had].filter((right) => !has.has(right)),
          ['revoke', 'from'],
          { what, name },
        ),
      )
      sql.push(
        ...rights(
          [...has].filter((right) => !had.has(right)),
          ['grant', 'to'],
          { what, name },
        ),
      )
    }
  }
  return sql.length > 0 ? [sql.join('\n')] : []
}

/** One statement for each role. */
function rights(list, [verb, direction], { what, name }) {
  const column = what === 'column' ? ` (${partOf(name)})` : ''
  const object = { column: tableOf(name), relation: name }[what] ?? `${what} ${name}`
  const byRole = new Map()
  for (const right of list) {
    const [role, privilege] = right.split(' ')
    byRole.set(role, [...(byRole.get(role) ?? []), privilege.toLowerCase() + column])
  }
  return [...byRole].map(([role, words]) => `${verb} ${words.join(', ')} on ${object} ${direction} ${role};`)
}

function comments(before, after) {
  const [old, fresh] = [before.of('comment'), after.of('comment')]
  const sql = [...fresh]
    .filter(([name, text]) => old.get(name) !== text)
    .map(([name, text]) => `comment on ${name} is '${text.replaceAll("'", "''")}';`)
  return sql.length > 0 ? [sql.join('\n')] : []
}

/** Tables are joined by ", ". */
function publications(before, after) {
  const sql = []
  for (const [name, tables] of after.of('publication')) {
    const [had, has] = [before.of('publication').get(name), tables].map((list) => new Set(list?.split(', ')))
    for (const table of has) if (!had.has(table)) sql.push(`alter publication ${name} add table ${table};`)
    for (const table of had) if (!has.has(table)) sql.push(`alter publication ${name} drop table ${table};`)
  }
  return sql
}

/** Rows that a function writes are written again: `select private.load_<table>()` in the schema. */
function rows(before, after, statements) {
  const [old, fresh] = [before.of('rows'), after.of('rows')]
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((name) => old.get(name) !== fresh.get(name))
    .map((name) => {
      const load = `select private.load_${name.split('.').at(-1)}()`
      return statements.some((text) => text.trim() === load) ? `${load};` : gap('rows of', name, 'differ')
    })
}

function gap(kind, name, what) {
  return `${GAP} ${kind} ${name} ${what}`.replace(/\s+/g, ' ')
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Matches the statement that creates `name`, which has its schema. */
const defined = (what, name) => new RegExp(`^create (?:or replace )?${what} ${escaped(name)}(?![\\w.])`, 'i')

/** Matches the statement that creates the part of a table; its name may be quoted where PostgreSQL needs no quotes. */
const definedOn = (what, name) =>
  new RegExp(
    `^create (?:or replace )?${what} "?${escaped(partOf(name).replace(/^"|"$/g, ''))}"?\\s[^;]*?\\bon ${escaped(tableOf(name))}(?![\\w.])`,
    'i',
  )

/** The last part of `schema.table.part`, each quoted as PostgreSQL quotes it. */
const partOf = (name) => /^(?:"[^"]*"|[^."]+)\.(?:"[^"]*"|[^."]+)\.(.*)$/s.exec(name)?.[1] ?? name
const tableOf = (name) => name.slice(0, -partOf(name).length - 1)
