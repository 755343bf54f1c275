// The .env files of a project that the Supabase CLI reads: those that config.toml's env(NAME) may take values from,
// and the environment of functions (https://supabase.com/docs/guides/local-development/managing-config).
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Secrets of config.toml. The CLI writes their names in capitals, however the file has them. */
export function inCapitals(secrets: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name.toUpperCase(), value]))
}

/** The variables in functions/.env, as `functions serve` reads them. Names of the platform are left out. */
export function functionSecrets(project: string): Record<string, string> {
  const entries = Object.entries(read(join(project, 'functions', '.env')))
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('SUPABASE_')))
}

/**
 * Values for env(NAME) from the .env files of the project's folder and of the one around it, the more particular file
 * first. They reach nothing else: an app's own .env may well say PORT or DATABASE_URL and mean something else.
 */
export function valuesForConfig(workdir: string, stage: string): Record<string, string> {
  const names = [`.env.${stage}.local`, '.env.local', `.env.${stage}`, '.env']
  const files = [join(workdir, 'supabase'), workdir].flatMap((folder) =>
    names.map((name) => join(folder, name)),
  )
  return Object.assign({}, ...files.reverse().map(read))
}

function read(file: string): Record<string, string> {
  return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) : {}
}
