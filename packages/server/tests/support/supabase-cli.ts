// The official Supabase CLI (npm's `supabase`), run as a person would run it, on a project of this machine.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PLATFORM = `@supabase/cli-${process.platform}-${process.arch}`
/** Next to the package `supabase`, which brings it along. */
const program = join(
  dirname(createRequire(import.meta.url).resolve('supabase/package.json')),
  '..',
  PLATFORM,
  'bin/supabase',
)

/** Why it cannot be tried here; null where it is installed. */
export const cliLacks = existsSync(program) ? null : `the Supabase CLI is not installed: no ${program}`

export interface CliRun {
  code: number | null
  /** The output, without messages about progress. */
  output: string
  /** All that it printed. */
  printed: string
}

/** Runs one command in `workdir`, without a terminal, an account or a network; `home` is where it may keep things. */
export function supabase(workdir: string, home: string, ...args: string[]): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: workdir,
      env: { PATH: process.env.PATH, HOME: home, DO_NOT_TRACK: '1', SUPABASE_NO_UPDATE_NOTIFIER: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let told = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (told += chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output, printed: told + output }))
  })
}
