// Runs SQL that was written for Supabase's database on one that lacks a little of it: a statement here and there is
// granted a right (privilege-grants.ts), left out (pulled-migrations.ts) or changed; all others are sent as they are.
import type pg from 'pg'
import { grantFor, needsPrivilege, type PrivilegeGrant } from './privilege-grants.ts'
import { concernsStorageItself, isUnlimited } from './pulled-migrations.ts'
import { type Statement, statementsOf } from './statements.ts'

type Step = Statement & { privileged: boolean }

/**
 * Runs `sql` over `client`, whose current role is `role`; `singly` sends every statement by itself, as those want that
 * cannot stand in a transaction. Rejects with PostgreSQL's error, whose `position` counts in the whole of `sql`.
 */
export async function runProjectSql(
  client: pg.ClientBase,
  { role, sql, singly = false }: { role: string; sql: string; singly?: boolean },
): Promise<void> {
  for (const step of stepsOf(sql, singly)) {
    const grant: PrivilegeGrant = (step.privileged && (await grantFor(client, role))) || {
      before: '',
      after: '',
    }
    const text = await withoutOptions(client, step.text)
    try {
      await client.query(grant.before + text + grant.after)
    } catch (error) {
      const { position } = error as { position?: string }
      const inWhole = Number(position) - grant.before.length + step.start
      if (position) Object.assign(error as object, { position: `${inWhole}` })
      throw error
    }
  }
}

/** The text in as few pieces as can be: one, where nothing in it is special. */
function stepsOf(sql: string, singly: boolean): Step[] {
  const steps: Step[] = []
  let from = 0
  const ordinary = (end: number) => {
    if (sql.slice(from, end).trim())
      steps.push({ text: sql.slice(from, end), start: from, privileged: false })
  }
  for (const { text, start } of statementsOf(sql)) {
    const privileged = needsPrivilege(text)
    const leftOut = concernsStorageItself(text) || isUnlimited(text.trim())
    if (!singly && !privileged && !leftOut && !NEAREST_INDEX.test(text)) continue
    ordinary(start)
    if (!leftOut) steps.push({ text, start, privileged })
    from = start + text.length + 1
  }
  ordinary(sql.length)
  return steps
}

/** An index that finds the nearest vectors, with settings. */
const NEAREST_INDEX = /^create\s+index\b[\s\S]*\busing\s+(?:hnsw|ivfflat)\b[\s\S]*\)\s*(with\s*\([^()]*\))/i

/** Of an index for vectors, what the stand-in's kind of index does not know. */
async function withoutOptions(client: pg.ClientBase, text: string): Promise<string> {
  const options = NEAREST_INDEX.exec(text)?.[1]
  if (!options) return text
  const { rows } = await client.query(
    `select from pg_am where amname = 'hnsw' and amhandler = 'hashhandler'::regproc`,
  )
  // Blanks in its place keep the position of an error.
  return rows.length > 0 ? text.replace(options, ' '.repeat(options.length)) : text
}
