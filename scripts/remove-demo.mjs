// Removes the people whom a project's seed made, and every row that mentions them, from a database that goes into production.
// Triggers and foreign keys are off meanwhile: the ledger, receipts and the audit log refuse a deletion otherwise. Checks at the
// end replace them.

/** Rows of other people that must remain, by the columns that say whose row it is. */
const KEPT = [
  ['auth.users', ['id']],
  ['private.profiles', ['id']],
  ['public.tasks', ['task_giver_id']],
  ['public.bookings', ['task_giver_id', 'task_doer_id']],
  ['public.reviews', ['reviewer_id', 'reviewee_id']],
  ['public.complaints', ['giver_id', 'tasker_id']],
  ['public.messages', ['sender_id', 'receiver_id']],
  ['public.payments', ['payer_id', 'payee_id']],
  ['public.receipts', ['person_id']],
  ['public.payouts', ['user_id']],
]
/** Id columns of deleted rows; rows that mention such an id are deleted next. */
const ID_COLUMN = '^(id|stripe_.*_id)$'
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** An e-mail address, or an id of Stripe's (`pi_…`). */
const WORD = `[^\\s"'\\\\(),<>{}:;]+@[^\\s"'\\\\(),<>{}:;]+|\\m[a-z]+_[A-Za-z0-9_]{5,}`

/** Rolls the transaction back; `code` is the exit code. */
class RolledBack extends Error {
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/**
 * Resolves with the text to print and the exit code. `removeFiles` gets the versions of the files whose rows were deleted.
 * Without `apply` everything is rolled back at the end, so the list is exact.
 * Refuses, by the bookings' ids, payments between a demo person and somebody else, and payments that Stripe took.
 */
export async function removeDemo(database, { apply, removeFiles }) {
  try {
    const { files, ...done } = await database.transaction(async (client) => {
      const before = await listFiles(client)
      const lines = await removeWithin(client)
      const kept = new Set(await listFiles(client))
      const files = before.filter((version) => !kept.has(version))
      if (apply || lines.length === 0) return { code: 0, message: summary(lines, apply), files }
      throw new RolledBack(summary(lines, apply), 0)
    })
    // After the commit: a file whose row is still there would be a loss.
    if (files.length > 0) await removeFiles(files)
    return done
  } catch (error) {
    if (error instanceof RolledBack) return { code: error.code, message: error.message }
    throw error
  }
}

function summary(lines, applied) {
  if (lines.length === 0) return 'There are no demo people in this database.'
  const list = lines.map((line) => `  ${line}`).join('\n')
  return applied
    ? `Removed:\n${list}`
    : `This would be removed:\n${list}\nNothing was changed. Back up, then run it again with --yes.`
}

/** Resolves with one line for each table that lost or changed rows; none where there are no demo people. */
async function removeWithin(client) {
  if (!(await exists(client, 'supabase_migrations.seed_people'))) return []
  await client.query(`
    create temp table demo on commit drop as
      select id from supabase_migrations.seed_people join auth.users on id = user_id;
    create temp table gone (key text primary key, pass int not null) on commit drop`)
  const { rowCount } = await client.query(`
    insert into gone select id::text, 0 from demo union
      select lower(email), 0 from auth.users join demo using (id) where email like '%@%'`)
  if (rowCount === 0) return []
  await refuseMoneyOfOthers(client)
  if (await exists(client, 'sandbox.stripe_objects'))
    await client.query(
      `insert into gone select id, 0 from sandbox.stripe_objects where id like '%\\_demo\\_%'`,
    )
  const before = await countKept(client)
  await client.query('set local session_replication_role = replica')
  const tables = await listTables(client)
  const changed = await emptyReferences(client)
  const deleted = await deleteMentions(client, tables)
  await client.query('set local session_replication_role = origin')
  const after = await countKept(client)
  for (const [table, count] of before)
    if (after.get(table) !== count)
      throw new Error(
        `${table}: ${count - after.get(table)} rows of other people would go; nothing was changed`,
      )
  await checkForeignKeys(client)
  // Triggers were off, so the sums of the back office are counted anew.
  const { rows } = await client.query(
    `select to_regprocedure('private.rebuild_figures()') is not null as there`,
  )
  if (rows[0].there) await client.query('select private.rebuild_figures()')
  return [
    ...[...deleted].map(([table, count]) => `${table}: ${count}`),
    ...changed.map(
      ([table, count]) => `${table}: ${count} rows of other people no longer name a demo person`,
    ),
  ]
}

async function exists(client, table) {
  const { rows } = await client.query('select to_regclass($1) is not null as there', [table])
  return rows[0].there
}

/** Versions of all stored files. */
async function listFiles(client) {
  if (!(await exists(client, 'storage.objects'))) return []
  const { rows } = await client.query('select version from storage.objects where version is not null')
  return rows.map((row) => row.version)
}

async function refuseMoneyOfOthers(client) {
  if (!(await exists(client, 'public.payments'))) return
  const { rows: shared } = await client.query(
    `select distinct private.booking_of_payment(p) as booking_id from public.payments p
     where (payer_id in (select id from demo)) <> (payee_id in (select id from demo)) order by 1`,
  )
  const played = (await exists(client, 'sandbox.stripe_objects'))
    ? 'or exists (select from sandbox.stripe_objects s where s.id = p.stripe_payment_intent_id)'
    : ''
  const { rows: taken } = await client.query(
    `select distinct private.booking_of_payment(p) as booking_id from public.payments p where payer_id in (select id from demo)
       and p.stripe_payment_intent_id is not null
       and not (p.stripe_payment_intent_id like 'pi\\_demo\\_%' ${played}) order by 1`,
  )
  const reasons = [
    ['Payments between a demo person and somebody else', shared],
    ['Payments that Stripe took from a demo person', taken],
  ].filter(([, rows]) => rows.length > 0)
  if (reasons.length === 0) return
  const lines = reasons.map(
    ([what, rows]) => `  ${what}: bookings ${rows.map((row) => row.booking_id).join(', ')}`,
  )
  throw new RolledBack(
    `Nothing was changed. The books must keep this money:\n${lines.join('\n')}\n` +
      'Keep this database with ALLOW=demo-people and ban the demo people, or start production with a DATA_DIR of its own.',
    1,
  )
}

/** How many rows of people outside the demo each table of KEPT has. */
async function countKept(client) {
  const counts = new Map()
  for (const [table, columns] of KEPT) {
    if (!(await exists(client, table))) continue
    const isOther = columns.map((column) => `${column} not in (select id from demo)`).join(' and ')
    const { rows } = await client.query(`select count(*)::int as count from ${table} where ${isOther}`)
    counts.set(table, rows[0].count)
  }
  return counts
}

/** Every table outside PostgreSQL's own schemas, quoted; a partitioned one stands for its partitions. */
async function listTables(client) {
  const { rows } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence <> 't'
       and n.nspname <> 'information_schema' and n.nspname !~ '^pg_(catalog|toast|temp)' order by 1`,
  )
  return rows.map((row) => row.name)
}

/** Empties optional references to demo people (who decided, who was asked) in rows that do not mention them otherwise. */
async function emptyReferences(client) {
  const { rows: columns } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(attname::text) as columns
     from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'private') and attnum > 0 and not attisdropped and not attnotnull
       and attgenerated = '' and atttypid = 'uuid'::regtype group by 1 order by 1`,
  )
  const changed = []
  for (const { name, columns: references } of columns) {
    const named = references.map((column) => `whole."${column}" in (select id from demo)`)
    const emptied = references.map(
      (column, at) => `"${column}" = case when ${named[at]} then null else whole."${column}" end`,
    )
    const rest = `(to_jsonb(whole) - array[${references.map((column) => `'${column}'`)}]::text[])::text`
    const { rowCount } = await client.query(
      `update ${name} whole set ${emptied.join(', ')} where (${named.join(' or ')}) and not ${mentions(rest, 0)}`,
    )
    if (rowCount > 0) changed.push([name, rowCount])
  }
  return changed
}

/** SQL: whether `text` holds a key that was found in that pass. */
const mentions = (text, pass) => `exists (
  select from (select regexp_matches(${text}, '${UUID}', 'g') as found union all
    select regexp_matches(${text}, '${WORD.replaceAll("'", "''")}', 'g')) every
  join gone on gone.key = found[1] and gone.pass = ${pass})`

/** Deletes rows that mention a demo person, then those that mention the deleted rows, until there are none. */
async function deleteMentions(client, tables) {
  const deleted = new Map()
  for (let pass = 0, found = 1; found > 0; pass++) {
    found = 0
    for (const table of tables) {
      const { rows } = await client.query(
        `with deleted as (delete from ${table} whole where ${mentions('whole::text', pass)} returning to_jsonb(whole) as columns),
           ids as (insert into gone select distinct value, ${pass + 1} from deleted, jsonb_each_text(columns)
             where key ~ '${ID_COLUMN}' and value ~ '^(${UUID}|[a-z]+_[A-Za-z0-9_]{5,})$' on conflict do nothing)
         select count(*)::int as count from deleted`,
      )
      if (rows[0].count === 0) continue
      found += rows[0].count
      deleted.set(table, (deleted.get(table) ?? 0) + rows[0].count)
    }
  }
  return deleted
}

/** Throws with the name of a foreign key whose rows lost the row that they point to. */
async function checkForeignKeys(client) {
  const { rows } = await client.query(
    `select conname as name, format('select from %s child where num_nulls(%s) = 0 and not exists (select from %s parent where %s) limit 1',
       conrelid::regclass, string_agg(format('child.%I', c.attname), ', '), confrelid::regclass,
       string_agg(format('parent.%I = child.%I', p.attname, c.attname), ' and ')) as orphans
     from pg_constraint, unnest(conkey, confkey) as k (child, parent)
       join pg_attribute c on true join pg_attribute p on true
     where contype = 'f' and conparentid = 0 and c.attrelid = conrelid and c.attnum = k.child
       and p.attrelid = confrelid and p.attnum = k.parent
     group by pg_constraint.oid, conname, conrelid, confrelid`,
  )
  for (const { name, orphans } of rows)
    if ((await client.query(orphans)).rowCount > 0)
      throw new Error(`${name}: a row of another person depends on a demo row; nothing was changed`)
}
