// The extensions that migrations written for Supabase may create: those of `folders`, and those of
// PostgreSQL that only a superuser may create elsewhere, marked as trusted here as Supabase's image marks them.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Extensions of PostgreSQL that Supabase lets `postgres` create though PostgreSQL does not. */
const PRIVILEGED =
  /^(autoinc|bloom|dblink|dict_xsyn|earthdistance|insert_username|moddatetime|pg_buffercache|pg_prewarm|pg_stat_statements|pg_visibility|pg_walinspect|pgrowlocks|pgstattuple|postgres_fdw|refint|sslinfo|xml2)$/

/**
 * Lays the extensions of `folders` in `folder`, readable by every account, and returns the value of `extension_control_path`.
 * `share` is the folder of PostgreSQL's own files.
 */
export function layExtensions(folder: string, share: string, folders: readonly string[]): string {
  const target = join(folder, 'extension')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true, mode: 0o755 })
  for (const own of folders)
    for (const name of readdirSync(own).filter((file) => /\.(control|sql)$/.test(file)))
      copyFileSync(join(own, name), join(target, name))
  const theirs = join(share, 'extension')
  const available = readdirSync(theirs)
  for (const name of available
    .map((file) => file.replace(/\.control$/, ''))
    .filter((one) => PRIVILEGED.test(one))) {
    const control = readFileSync(join(theirs, `${name}.control`), 'utf8')
    writeFileSync(join(target, `${name}.control`), `${control}\ntrusted = true\n`)
    for (const script of available.filter((one) => one.startsWith(`${name}--`))) {
      copyFileSync(join(theirs, script), join(target, script))
    }
  }
  // Whatever the umask: PostgreSQL may run as another account.
  for (const path of [folder, target]) chmodSync(path, 0o755)
  for (const name of readdirSync(target)) chmodSync(join(target, name), 0o644)
  return `${folder}:$system`
}
