// The rows of a database of one day as SQL: what tests/database/upgrade/<day>.sql holds. Written by
// `UPGRADE_DUMP=<day> npx vitest run --project database tests/database/upgrade`, from a life in which every table gets rows.
import type { TestDatabase } from '../../support/database.ts'
import {
  approve,
  bookingAt,
  handIn,
  openPayoutAccount,
  paymentOf,
  postTask,
  report,
  settleWithProvider,
  tryInsert,
} from '../lives.ts'
import { as, asService, cast, enterCast, owner } from '../personas.ts'

/** Filled by migrations, and so a part of the schema. */
const TABLES_OF_MIGRATIONS = ['private.notification_texts', 'private.booking_transitions']

/** Fills every table of the marketplace with a few rows, by the calls of the app. */
export async function populate(db: TestDatabase): Promise<void> {
  await enterCast(db)
  await approve(db)
  await openPayoutAccount(db)
  await as(db, 'grace')(
    `insert into public.payment_methods (user_id, stripe_payment_method_id, card_brand, card_last4, is_default)
     values ($1, 'pm_grace', 'visa', '4242', true)`,
    [cast.grace],
  )
  await as(db, 'theo')(
    `update public.profiles set bio = 'Brings a blower.', skills = '{Shovelling,Drywall}',
       preferred_categories = '{Snow Removal}', hourly_rate = 42.5, experience_years = 9 where id = $1`,
    [cast.theo],
  )
  const open = await postTask(db, { scheduled: '3 days', minutes: 90 })
  await insert(db, 'grace', 'task_addresses', { task_id: open, address: '1114 Temperance Street' })
  for (const state of ['pending', 'rejected', 'cancelled', 'accepted', 'in_progress'] as const) {
    await bookingAt(db, state)
  }
  const released = await bookingAt(db, 'released', { amount: 81.25 })
  await settleWithProvider(db, released)
  for (const [person, comment] of [
    ['grace', 'Down to bare concrete.'],
    ['theo', 'Coffee was ready.'],
  ] as const) {
    await insert(db, person, 'reviews', {
      booking_id: released.id,
      reviewer_id: cast[person],
      rating: 5,
      comment,
    })
  }
  const complained = await bookingAt(db, 'completed')
  await insert(db, 'grace', 'complaints', {
    booking_id: complained.id,
    reason: 'Half of the walk is still under snow.',
  })
  await insert(db, 'theo', 'messages', {
    booking_id: complained.id,
    sender_id: cast.theo,
    receiver_id: cast.grace,
    message: 'It snowed again after I left.',
  })
  const disputed = await paymentOf(db, await bookingAt(db, 'in_progress'))
  await report(db, 'charge.dispute.created', {
    id: 'du_1',
    object: 'dispute',
    amount: 12_000,
    status: 'needs_response',
    payment_intent: disputed.stripe_payment_intent_id,
  })
  const refunded = await paymentOf(db, await bookingAt(db, 'in_progress'))
  await report(db, 'refund.created', {
    id: 're_by_hand',
    object: 'refund',
    amount: 2000,
    status: 'succeeded',
    payment_intent: refunded.stripe_payment_intent_id,
  })
  const refused = await paymentOf(db, await bookingAt(db, 'released'))
  await asService(db)(`select public.fail_payout($1, 'The account is closed.', $2)`, [
    refused.id,
    `payout-${refused.id}`,
  ])
  await owner(db)(`update public.profiles set language = 'fr' where id = $1`, [cast.sam])
  await as(
    db,
    'sam',
  )(`insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
    values (auth.uid(), 'Walk the dog', 'Forty minutes along the river.', 'Pet Care', 'Regina', 30)`)
  await owner(db)(
    `insert into public.user_roles (user_id, role) values ($1, 'task_doer') on conflict do nothing`,
    [cast.sam],
  )
  await handIn(db, cast.sam)
}

async function insert(
  db: TestDatabase,
  ...row: [person: string, table: string, row: Record<string, unknown>]
) {
  const message = await tryInsert(db, ...row)
  if (message !== null) throw new Error(`${row[1]}: ${message}`)
}

/** The tables that a dump holds, with their columns but for those that the database computes. */
async function tablesOf(db: TestDatabase): Promise<{ table: string; columns: string; key: string }[]> {
  const { rows } = await owner(db)(
    `select format('%I.%I', nspname, relname) as table,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute a
         where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute a join pg_index i on i.indrelid = c.oid
         where a.attrelid = c.oid and i.indisprimary and attnum = any (i.indkey)) as key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r'
       and (nspname in ('public', 'private') or (nspname, relname) in (('auth', 'users'), ('storage', 'objects')))
       and n.nspname || '.' || c.relname <> all ($1) order by 1`,
    [TABLES_OF_MIGRATIONS],
  )
  return rows as { table: string; columns: string; key: string }[]
}

/** The number of rows of each table that a dump holds. */
export async function rowCounts(db: TestDatabase): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { table } of await tablesOf(db)) {
    const { rows } = await owner(db)(`select count(*)::int as rows from ${table}`)
    counts[table] = rows[0].rows
  }
  return counts
}

/** The dump: an insert for each table, a row on each line. Triggers and foreign keys rest while it is restored. */
export async function dumpOf(db: TestDatabase, day: string): Promise<string> {
  const { rows } = await owner(db)(
    'select max(version) as version from supabase_migrations.schema_migrations',
  )
  const parts = [
    `-- The rows of a database of ${day}, after the migration ${rows[0].version}. Written by tests/database/upgrade/dump.ts.`,
    'begin;',
    "set local session_replication_role = 'replica';",
  ]
  for (const { table, columns, key } of await tablesOf(db)) {
    const { rows } = await owner(db)(`select to_jsonb(t) as row from ${table} t order by ${key}`)
    const known = new Set(columns.replaceAll('"', '').split(', '))
    const lines = rows.map(({ row }) =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(row).filter(([column, value]) => value !== null && known.has(column)),
        ),
      ),
    )
    if (lines.length === 0) continue
    const named = columns
      .split(', ')
      .filter((column) => rows.some(({ row }) => row[column.replaceAll('"', '')] !== null))
      .join(', ')
    parts.push(
      `insert into ${table} (${named}) overriding system value select ${named} from jsonb_populate_recordset(null::${table}, $rows$[`,
      `${lines.join(',\n')}\n]$rows$);`,
    )
  }
  for (const table of ['public.audit_log', 'public.ledger_entries']) {
    parts.push(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table};`)
  }
  return `${parts.join('\n')}\ncommit;\n`
}
