// What `postgres` may do on Supabase though PostgreSQL wants a superuser for it: there an extension in C lends the right
// for one statement (https://github.com/supabase/supautils), here the role has it while the statement runs.
import type pg from 'pg'
import { type Statement, statementsOf } from './statements.ts'

const eventTrigger = /\b(create|alter|drop)\s+event\s+trigger\b/i
const wholePublication = /\b(create|alter)\s+publication\b[\s\S]*\b(all\s+tables|tables\s+in\s+schema)\b/i
/** A setting that no extension has announced: app.settings.jwt_secret and its like. */
const ownSetting =
  /^alter\s+(database|role|user)\s[\s\S]*\sset\s+("[\w$]+\.[\w$.]+"|[a-z_][\w$]*\.[\w$.]+)\s*(=|to\b)/i
const storageTrigger = /^create\s+trigger\b(?=[\s\S]*?\bon\s+"?storage"?\s*\.)/i

/**
 * Runs the statements of a migration over `client`, whose current role is `role`. Rejects with PostgreSQL's error,
 * whose `position` counts in the whole of `sql`.
 */
export async function runPrivileged(client: pg.ClientBase, role: string, sql: string): Promise<void> {
  for (const step of stepsOf(sql)) {
    const [before, after] = (step.lent && (await loan(client, role))) || ['', '']
    try {
      await client.query(before + step.text + after)
    } catch (error) {
      const { position } = error as { position?: string }
      if (position)
        Object.assign(error as object, { position: `${Number(position) - before.length + step.start}` })
      throw error
    }
  }
}

type Step = Statement & { lent: boolean }

/** The text in as few pieces as can be: one, where nothing in it is special. */
function stepsOf(sql: string): Step[] {
  const steps: Step[] = []
  let from = 0
  const ordinary = (end: number) => {
    if (sql.slice(from, end).trim()) steps.push({ text: sql.slice(from, end), start: from, lent: false })
  }
  for (const { text, start } of statementsOf(sql)) {
    const lent = wantsLoan(text)
    const known = storageTrigger.test(text)
    if (!lent && !known) continue
    ordinary(start)
    steps.push({ text: known ? text.replace(/^create/i, 'create or replace') : text, start, lent })
    from = start + text.length + 1
  }
  ordinary(sql.length)
  return steps
}

function wantsLoan(text: string): boolean {
  // One that runs at each sign-in would run as the platform's own account, too.
  if (eventTrigger.test(text) && /\bon\s+"?login\b/i.test(text)) return false
  if (
    !/^(create|alter|drop|do)\b/i.test(text) ||
    /^create\s+(or\s+replace\s+)?(function|procedure)\b/i.test(text)
  )
    return false
  return eventTrigger.test(text) || wholePublication.test(text) || ownSetting.test(text)
}

/**
 * What goes before and after a statement so that `role` is a superuser for it; null where the account that signed in
 * cannot do that, or need not. All three are sent at once: all of it happens or nothing.
 */
async function loan(client: pg.ClientBase, role: string): Promise<[string, string] | null> {
  const { rows } = await client.query(
    `select mine.rolsuper and not theirs.rolsuper as may, current_setting('event_triggers', true) is not null as quiet
     from pg_roles as mine, pg_roles as theirs where mine.rolname = session_user and theirs.rolname = $1`,
    [role],
  )
  if (!rows[0]?.may) return null
  // The functions of event triggers that are there already must not have the right, too (PostgreSQL 17 and later).
  const [silence, speak] = rows[0].quiet ? ['set event_triggers = off; ', 'reset event_triggers; '] : ['', '']
  return [
    `reset role; ${silence}alter role ${role} superuser; set role ${role}; `,
    // On a line of its own: the statement may end with a comment.
    `\n; reset role; ${speak}alter role ${role} nosuperuser; set role ${role}`,
  ]
}
