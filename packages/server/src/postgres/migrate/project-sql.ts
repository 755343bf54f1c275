// Runs SQL that was written for Supabase's database on one that lacks a little of it. A few statements are granted a
// right (privilege-grants.ts), left out (pulled-migrations.ts) or changed; all others are sent unchanged. Rows of a
// COPY … FROM stdin are sent after their statement, as psql sends them.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { grantFor, needsPrivilege, type PrivilegeGrant } from './privilege-grants.ts'
import { concernsStorageItself, isUnlimited } from './pulled-migrations.ts'
import { type Statement, statementsOf } from './statements.ts'

type Step = Statement & { privileged: boolean }

/**
 * Runs `sql` over `client`, whose current role is `role`; `singly` sends every statement by itself, as statements
 * require that cannot run in a transaction. Rejects with PostgreSQL's error, whose `position` counts in the whole of
 * `sql`.
 */
export async function runProjectSql(
  client: pg.ClientBase,
  { role, sql, singly = false }: { role: string; sql: string; singly?: boolean },
): Promise<void> {
  for (const step of stepsOf(sql, singly)) {
    if (step.rows) {
      await copyRows(client, sql, step.text, step.start, step.rows)
      continue
    }
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

/** Runs a COPY … FROM stdin. Rejects with PostgreSQL's error, whose `position` is that of the row, else of the statement. */
async function copyRows(
  client: pg.ClientBase,
  sql: string,
  text: string,
  start: number,
  { from, to }: NonNullable<Statement['rows']>,
): Promise<void> {
  const { from: copyFrom } = await import('pg-copy-streams')
  try {
    await pipeline(Readable.from([Buffer.from(sql.slice(from, to))]), client.query(copyFrom(text)))
  } catch (error) {
    const { where } = error as { where?: string }
    const row = Number(/^COPY .*?, line (\d+)/.exec(where ?? '')?.[1] ?? 0)
    let place = row > 0 ? from : start
    for (let n = 1; n < row; n++) place = sql.indexOf('\n', place) + 1
    throw Object.assign(error as object, { position: `${place + 1}` })
  }
}

/** pg_dump's guards of its output, for psql only. */
const isGuard = (statement: string) => /^\\(un)?restrict\b/.test(statement)

/** The text in as few pieces as can be: one, where nothing in it is special. */
function stepsOf(sql: string, singly: boolean): Step[] {
  const steps: Step[] = []
  let from = 0
  const ordinary = (end: number) => {
    if (sql.slice(from, end).trim())
      steps.push({ text: sql.slice(from, end), start: from, end, privileged: false })
  }
  for (const { text, start, end, rows } of statementsOf(sql)) {
    const privileged = needsPrivilege(text)
    const leftOut = concernsStorageItself(text) || isUnlimited(text.trim()) || isGuard(text)
    if (!singly && !privileged && !leftOut && !rows && !NEAREST_INDEX.test(text)) continue
    ordinary(start)
    if (!leftOut) steps.push({ text, start, end, privileged, ...(rows && { rows }) })
    from = end
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
