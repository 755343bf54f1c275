// The expected answer of each operator command next to a running server with the embedded PostgreSQL, without accounts, Stripe
// or a mail server.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Ended } from './production-install.ts'

const STATIC = [
  ...['--host', 'cloudflare', '--site', 'https://meadowlark.example'],
  ...['--api', 'https://ref.supabase.co', '--key', 'sb_publishable_a'],
]

/** Runs the ten by `run`, whose account may write to the folder `writable` and not to the program. */
export async function runCommands(
  run: (command: string, ...args: string[]) => Ended | Promise<Ended>,
  writable: string,
): Promise<void> {
  const target = join(writable, 'static')
  const expected: [string[], number, RegExp][] = [
    [['doctor', '--production'], 1, /^ok .*database/m],
    [['admin', 'sam@example.com'], 1, /Nobody has signed up as sam@example\.com/],
    [['admin', '--remove-demo'], 0, /no demo people/],
    [['keys', 'list'], 0, / own$/m],
    [['backup'], 0, /./],
    [['psql', '--tuples-only', '--command', 'select 1'], 0, /1/],
    [['reconcile'], 1, /^STRIPE_SECRET_KEY: /m],
    [['move'], 1, /TO_/],
    [['static', ...STATIC], 1, /^--out: .*EACCES.*name another folder/m],
    [['static', ...STATIC, '--out', target], 0, new RegExp(target)],
    [['restore'], 1, /stop|runs|running/i],
    [['upgrade'], 1, /stop|runs|running/i],
  ]
  for (const [[command = '', ...args], wanted, words] of expected) {
    const { code, output } = await run(command, ...args)
    expect(output).toMatch(words)
    expect(output).not.toMatch(/^\s+at /m)
    // psql belongs to the machine; the image has none.
    if (!output.includes('psql is not installed')) expect([code, output]).toEqual([wanted, output])
  }
  expect(existsSync(join(target, '_worker.js'))).toBe(true)
}
