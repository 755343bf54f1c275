// Actions that `postgres` may perform on Supabase although PostgreSQL requires a superuser. There, an extension in C
// grants the right for one statement (https://github.com/supabase/supautils). Here, the role has it while the
// statement runs.
import type pg from 'pg'

/** Statements before and after a statement, sent with it at once, so that all or none take effect. */
export type PrivilegeGrant = { before: string; after: string }

const EVENT_TRIGGER = /\b(create|alter|drop)\s+event\s+trigger\b/i
const WHOLE_PUBLICATION = /\b(create|alter)\s+publication\b[\s\S]*\b(all\s+tables|tables\s+in\s+schema)\b/i
/** Extensions belong to the superuser, also those that the role may create. */
const EXTENSION = /^(alter|drop|comment\s+on)\s+extension\b/i
/** A setting that no extension has announced: app.settings.jwt_secret and its like. */
const OWN_SETTING =
  /^alter\s+(database|role|user)\s[\s\S]*\sset\s+("[\w$]+\.[\w$.]+"|[a-z_][\w$]*\.[\w$.]+)\s*(=|to\b)/i

/** Whether a statement needs such a right. */
export function needsPrivilege(statement: string): boolean {
  // One that runs at each sign-in would run as the platform's own account, too.
  if (EVENT_TRIGGER.test(statement) && /\bon\s+"?login\b/i.test(statement)) return false
  if (EXTENSION.test(statement)) return true
  if (!/^(create\s+(event|publication)|alter|drop|do)\b/i.test(statement)) return false
  return EVENT_TRIGGER.test(statement) || WHOLE_PUBLICATION.test(statement) || OWN_SETTING.test(statement)
}

/** Makes `role` a superuser for a statement; null where the account that signed in cannot do that, or need not. */
export async function grantFor(client: pg.ClientBase, role: string): Promise<PrivilegeGrant | null> {
  const { rows } = await client.query(
    `select mine.rolsuper and not theirs.rolsuper as may, current_setting('event_triggers', true) is not null as quiet
     from pg_roles as mine, pg_roles as theirs where mine.rolname = session_user and theirs.rolname = $1`,
    [role],
  )
  if (!rows[0]?.may) return null
  // The functions of event triggers that are there already must not have the right, too (PostgreSQL 17 and later).
  const [off, reset] = rows[0].quiet ? ['set event_triggers = off; ', 'reset event_triggers; '] : ['', '']
  return {
    before: `reset role; ${off}alter role ${role} superuser; set role ${role}; `,
    // On a separate line: the statement may end with a comment.
    after: `\n; reset role; ${reset}alter role ${role} nosuperuser; set role ${role}`,
  }
}
