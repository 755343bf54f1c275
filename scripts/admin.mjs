// npm run admin -- EMAIL [--remove-factors] [--workdir DIR]: makes the person with that address an administrator.
// With the option it removes their second factors instead, for people who lost them and their recovery codes. npm run
// admin -- --remove-demo [--yes]: lists, or removes, the demo people and their data (remove-demo.mjs).
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'
import { removeDemo } from './remove-demo.mjs'

const USAGE = `Usage: npm run admin -- EMAIL [--remove-factors] [--workdir DIR]
       npm run admin -- --remove-demo [--yes] [--workdir DIR]
  --remove-factors takes the person's second factors and recovery codes away and signs them out, instead of making
                   them an administrator; be sure who asks for it
  --remove-demo    lists the people whom the seed made and everything of theirs; with --yes it is removed
  --workdir DIR    folder that holds the supabase folder of the project (default: this one)
`
const NOBODY = '00000000-0000-0000-0000-000000000000'
const { email, workdir, command } = readArguments()

const { describe, loadConfig, openFileStore, withDatabase } = await loadCommands()
let config

try {
  config = loadConfig({ workdir })
  const { message, code } = await withDatabase(config, command)
  process.stdout.write(`${message}\n`)
  process.exitCode = code
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Ends with 1 unless there is one address, or --remove-demo without one. */
function readArguments() {
  try {
    const options = {
      workdir: { type: 'string', default: '.' },
      'remove-factors': { type: 'boolean', default: false },
      'remove-demo': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (values['remove-demo'] && positionals.length === 0 && !values['remove-factors'])
      return {
        workdir: values.workdir,
        command: (database) => removeDemo(database, { apply: values.yes, removeFiles }),
      }
    const email = positionals[0]?.trim().toLowerCase()
    if (email?.includes('@') && positionals.length === 1 && !values['remove-demo'] && !values.yes) {
      return { email, workdir: values.workdir, command: values['remove-factors'] ? removeFactors : makeAdmin }
    }
    process.stderr.write(USAGE)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
  }
  process.exit(1)
}

/** Removes the bytes of these versions from the disk or the bucket. */
async function removeFiles(versions) {
  const store = await openFileStore(config)
  await store.remove(versions.map((version) => ({ version })))
  store.close?.()
}

/** The account with that address. */
async function personOf(client) {
  const { rows } = await client.query(
    'select id, email_confirmed_at from auth.users where lower(email) = $1 and deleted_at is null',
    [email],
  )
  return rows[0]
}

/** Takes all second factors away and ends the sessions, with an audit entry for each factor, all or nothing. */
async function removeFactors(database) {
  return database.transaction(async (client) => {
    const person = await personOf(client)
    if (!person) return { code: 1, message: `Nobody has signed up as ${email}.` }
    const { rows: factors } = await client.query(
      'delete from auth.mfa_factors where user_id = $1 returning id',
      [person.id],
    )
    if (factors.length === 0) return { code: 1, message: `${email} has no second factor.` }
    await client.query('delete from auth.sessions where user_id = $1', [person.id])
    for (const factor of factors) {
      const payload = {
        actor_id: NOBODY,
        actor_via_sso: false,
        actor_username: 'npm run admin',
        log_type: 'factor',
        action: 'factor_deleted',
        traits: { user_id: person.id, factor_id: factor.id },
      }
      await client.query(
        `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
         values ($1, $2, $3, now(), '')`,
        [NOBODY, randomUUID(), JSON.stringify(payload)],
      )
    }
    // Data of this project; another project may have none.
    const { rows } = await client.query(
      `select to_regprocedure('private.factors_removed(uuid)') is not null as there`,
    )
    if (rows[0].there) await client.query('select private.factors_removed($1)', [person.id])
    const count = factors.length === 1 ? 'The second factor' : `All ${factors.length} second factors`
    return {
      code: 0,
      message: `${count} of ${email} went, with their sessions. They sign in with their password alone.`,
    }
  })
}

/** Gives the role; resolves with what came of it and the exit code. */
async function makeAdmin({ pool }) {
  const { rows: tables } = await pool.query(`select to_regclass('public.user_roles') is not null as there`)
  if (!tables[0].there) {
    return { code: 1, message: 'This project keeps no administrators: it has no table public.user_roles.' }
  }
  const person = await personOf(pool)
  if (!person)
    return {
      code: 1,
      message: `Nobody has signed up as ${email}. Sign up in the app first, then run this again.`,
    }
  const { rowCount } = await pool.query(
    `insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id, role) do nothing`,
    [person.id],
  )
  const note = person.email_confirmed_at
    ? ''
    : ' The address is not confirmed yet: follow the link in the e-mail.'
  const message = `${email} ${rowCount === 1 ? 'is an administrator now' : 'was an administrator already'}.${note}`
  return { code: 0, message }
}
