// Plans the copy from one database into another, and finds obstacles.
import type pg from 'pg'
import type { Catalogue } from './catalogue.ts'

export interface Plan {
  /** Names of the columns that both sides have, by table; all as SQL writes them. */
  tables: Map<string, string[]>
  sequences: string[]
  /** Differences that matter to nobody. */
  notes: string[]
}

/**
 * Compares both sides. Nothing is left behind silently: a table or column that only the source has is passed over where it
 * is empty, else it is a problem. Throws MoveError with all problems.
 */
export async function makePlan(
  client: pg.Client,
  { from, to }: { from: Catalogue; to: Catalogue },
): Promise<Plan> {
  const problems = differentMigrations(from.migrations, to.migrations)
  if (problems.length > 0) throw new MoveError(problems)
  const notes: string[] = []
  const tables: Plan['tables'] = new Map()
  for (const [table, columns] of from.tables) {
    const theirs = to.tables.get(table)
    if (!theirs) {
      if (await isFilled(client, table))
        problems.push(`${table}: only the source has this table, and it has rows`)
      else notes.push(`${table}: only the source has this table; it is empty`)
      continue
    }
    const shared = columns.filter(({ name }) => theirs.some((column) => column.name === name))
    for (const { name } of columns.filter((column) => !shared.includes(column))) {
      const what = `${table}: only the source has the column ${name}`
      if (await isFilled(client, table, `${client.escapeIdentifier(name)} is not null`))
        problems.push(`${what}, and it has values`)
      else notes.push(`${what}; it is empty`)
    }
    for (const { name, needed } of theirs) {
      if (columns.some((column) => column.name === name)) continue
      if (needed && (await isFilled(client, table)))
        problems.push(`${table}: only the target has the column ${name}, and a row cannot be without it`)
      else notes.push(`${table}: only the target has the column ${name}`)
    }
    tables.set(
      table,
      shared.map(({ name }) => client.escapeIdentifier(name)),
    )
  }
  for (const table of to.tables.keys())
    if (!from.tables.has(table)) notes.push(`${table}: only the target has this table; it is left alone`)
  if (problems.length > 0) throw new MoveError(problems)
  return { tables, notes, sequences: [...from.sequences].filter((name) => to.sequences.has(name)) }
}

/** Obstacles to a move, one line each. */
export class MoveError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
  }
}

function differentMigrations(from: string[], to: string[]): string[] {
  const lacking = from.filter((version) => !to.includes(version))
  const more = to.filter((version) => !from.includes(version))
  return [
    ...(lacking.length > 0
      ? [
          `migrations: the target lacks ${lacking.join(', ')}; apply them there first (supabase db push --remote, or a start)`,
        ]
      : []),
    ...(more.length > 0
      ? [`migrations: only the target has ${more.join(', ')}; apply them at the source first`]
      : []),
  ]
}

async function isFilled(client: pg.Client, table: string, condition = 'true'): Promise<boolean> {
  const { rows } = await client.query<{ filled: boolean }>(
    `select exists (select from only ${table} where ${condition}) as filled`,
  )
  return rows[0]?.filled === true
}
