// meadowlark-server COMMAND: the server for any supabase/ folder, with nothing added to it.
import { loadConfig } from '../config/config.ts'
import { inboxParts } from '../inbox/plugin.ts'
import type { RunningServer } from '../main.ts'
import { COMMANDS, runCommand } from './commands.ts'
import { defaultPlugins } from './default-plugins.ts'
import { start } from './start.ts'

const PROGRAM = 'meadowlark-server'
const USAGE = `Usage: ${PROGRAM} [COMMAND] [OPTIONS]
  start              runs the supabase folder of this folder (default)
  ${Object.keys(COMMANDS).join(', ')}
                     see ${PROGRAM} COMMAND --help
`

const [name = 'start', ...args] = process.argv.slice(2)
const program = { loadConfig, pluginsFor: defaultPlugins }
const began = Date.now()

if (name === 'start') await start({ ...program, args, command: `${PROGRAM} start`, onReady: announce })
else if (name in COMMANDS) process.exitCode = await runCommand(name, args, { ...program, prefix: PROGRAM })
else {
  process.stderr.write(USAGE)
  process.exitCode = name === '--help' ? 0 : 1
}

/** The secret key is not shown on a screen. */
function announce({ url, services: { config, keys } }: RunningServer): void {
  const { mail, sms } = inboxParts(config)
  const lines = [
    `${config.project} is served at ${url}`,
    '',
    `Publishable key: ${keys.publishable}`,
    `Secret key:      in ${config.dataDir}/keys.json`,
    ...(mail || sms ? ['', `Test mail and SMS: ${url}/sandbox/inbox`] : []),
    '',
    `Ready in ${((Date.now() - began) / 1000).toFixed(1)} s. Ctrl-C stops everything.`,
  ]
  process.stdout.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`)
}
