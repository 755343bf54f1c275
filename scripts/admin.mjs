// npm run admin -- EMAIL: makes the person with that address an administrator.
import { build } from './build.mjs'

const email = process.argv[2]?.trim().toLowerCase()
if (!email?.includes('@') || process.argv.length > 3) {
  process.stderr.write('Usage: npm run admin -- EMAIL\n')
  process.exit(1)
}

await build({ web: false })
const { describe, loadConfig, withDatabase } = await import('../.build/server.mjs')

try {
  const { message, code } = await withDatabase(loadConfig({ workdir: '.' }), makeAdmin)
  process.stdout.write(`${message}\n`)
  process.exitCode = code
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Gives the role; resolves with what came of it and the exit code. */
async function makeAdmin({ pool }) {
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
