// npm run admin -- EMAIL [--workdir DIR]: makes the person with that address an administrator.
import { parseArgs } from 'node:util'
import { build } from './build.mjs'

const USAGE = `Usage: npm run admin -- EMAIL [--workdir DIR]
  --workdir DIR    folder that holds the supabase folder of the project (default: this one)
`
const { email, workdir } = readArguments()

await build({ web: false })
const { describe, loadConfig, withDatabase } = await import('../.build/server.mjs')

try {
  const { message, code } = await withDatabase(loadConfig({ workdir }), makeAdmin)
  process.stdout.write(`${message}\n`)
  process.exitCode = code
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Ends with 1 unless there is one address, and a folder at most. */
function readArguments() {
  try {
    const options = { workdir: { type: 'string', default: '.' } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const email = positionals[0]?.trim().toLowerCase()
    if (email?.includes('@') && positionals.length === 1) return { email, workdir: values.workdir }
    process.stderr.write(USAGE)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
  }
  process.exit(1)
}

/** Gives the role; resolves with what came of it and the exit code. */
async function makeAdmin({ pool }) {
  const { rows: tables } = await pool.query(`select to_regclass('public.user_roles') is not null as there`)
  if (!tables[0].there) {
    return { code: 1, message: 'This project keeps no administrators: it has no table public.user_roles.' }
  }
  const { rows } = await pool.query('select id, email_confirmed_at from auth.users where lower(email) = $1', [
    email,
  ])
  const [person] = rows
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
