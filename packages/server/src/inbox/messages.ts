// The messages that would have left: kept in sandbox.inbox, read with the links and the code a reader looks for.
import type pg from 'pg'
import type { QueuedEmail } from '../mail/email.ts'
import type { QueuedText } from '../sms/text.ts'
import type { Queryable } from '../sql/queryable.ts'

export type Message = {
  id: string
  kind: 'mail' | 'sms'
  to: string
  subject: string | null
  text: string | null
  html: string | null
  /** Addresses in the message, in their order. */
  links: string[]
  /** A one-time code of 6 to 8 digits, if the message holds one. */
  code: string | null
  /** The header of a mail that came by SMTP: {name: value}, names in lower case. */
  headers: Record<string, string>
  created_at: string
}

type Row = {
  id: string
  kind: 'mail' | 'sms'
  recipient: string
  subject: string | null
  text: string | null
  html: string | null
  headers: Record<string, string>
  created_at: Date
}

/** Messages, newest first, at most 200; `to` keeps those whose recipient contains it, in any case. */
export async function readMessages(pool: pg.Pool, to?: string): Promise<Message[]> {
  const { rows } = await pool.query<Row>(
    `select id, kind, recipient, subject, text, html, headers, created_at from sandbox.inbox
     where $1 = '' or position(lower($1) in lower(recipient)) > 0 order by id desc limit 200`,
    // PostgreSQL has no null character to look for.
    [to?.replaceAll('\0', '').trim() ?? ''],
  )
  return rows.map(message)
}

/** One message, or undefined. */
export async function readMessage(pool: pg.Pool, id: string): Promise<Message | undefined> {
  if (!/^\d{1,18}$/.test(id)) return undefined
  const { rows } = await pool.query<Row>(
    'select id, kind, recipient, subject, text, html, headers, created_at from sandbox.inbox where id = $1',
    [id],
  )
  return rows[0] && message(rows[0])
}

function message({ recipient, created_at, ...row }: Row): Message {
  return {
    id: row.id,
    kind: row.kind,
    to: recipient,
    subject: row.subject,
    text: row.text,
    html: row.html,
    links: linksIn(row.text, row.html),
    code: codeIn(row.text ?? ''),
    headers: row.headers,
    created_at: created_at.toISOString(),
  }
}

/** Web addresses only: a link of any other kind is not one to offer. */
function linksIn(text: string | null, html: string | null): string[] {
  const found = [
    ...[...(html ?? '').matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map((match) =>
      unescapeAttribute(match[1] ?? match[2] ?? ''),
    ),
    ...((text ?? '').match(/https?:\/\/[^\s<>"')\]]+/g) ?? []),
  ]
  return [...new Set(found)].filter((link) => /^https?:\/\//i.test(link) && URL.canParse(link))
}

function unescapeAttribute(value: string): string {
  return value
    .replace(/&#x([0-9a-f]+);/gi, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
}

function codeIn(text: string): string | null {
  return /(?<![\w-])\d{6,8}(?![\w-])/.exec(text.replace(/https?:\/\/\S+/g, ''))?.[0] ?? null
}

/** Puts an email into the inbox, once however often it is called for the same one. */
export async function keepEmail(
  client: Queryable,
  email: Omit<QueuedEmail, 'kind'> & { headers?: Record<string, string> },
): Promise<void> {
  await client.query(
    `insert into sandbox.inbox (message_id, kind, recipient, subject, text, html, headers)
     values ($1, 'mail', $2, $3, $4, $5, $6) on conflict (message_id) do nothing`,
    [email.id, email.to, email.subject, email.text, email.html, email.headers ?? {}],
  )
}

/** Puts a text message into the inbox, once however often it is called for the same one. */
export async function keepText(client: Queryable, { id, to, body }: QueuedText): Promise<void> {
  await client.query(
    `insert into sandbox.inbox (message_id, kind, recipient, text)
     values ($1, 'sms', $2, $3) on conflict (message_id) do nothing`,
    [id, `+${to}`, body],
  )
}
