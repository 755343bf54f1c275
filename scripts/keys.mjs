// npm run keys -- list|add|rotate|revoke: the key pairs that sign people's tokens.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const USAGE = `Usage: npm run keys -- COMMAND [--workdir DIR]
  list               the keys: current signs, standby will, previous and own verify
  add [ALGORITHM]    makes a key that stands by: ES256 (default), RS256 or EdDSA
  rotate             lets the key that stands by sign; the current one verifies on
  revoke KID         takes a key away: what it signed is refused
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Running servers read the changed keys by themselves.
`
const { command, argument, workdir } = readArguments()

const { addKey, ALGORITHMS, describe, listKeys, loadConfig, revokeKey, rotateKeys } = await loadCommands()
const commands = {
  list: async (config) =>
    (await listKeys(config))
      .map(({ kid, algorithm, state }) => `${kid}  ${algorithm}  ${state}`)
      .join('\n') || 'No keys.',
  add: async (config) => `${await addKey(config, argument ?? 'ES256')} stands by.`,
  rotate: async (config) => `${await rotateKeys(config)} signs.`,
  revoke: async (config) => {
    await revokeKey(config, argument)
    return `${argument} is revoked.`
  },
}

try {
  if (command === 'add' && argument && !ALGORITHMS.includes(argument)) {
    throw new Error(`the algorithm must be ${ALGORITHMS.join(', ')}`)
  }
  process.stdout.write(`${await commands[command](loadConfig({ workdir }))}\n`)
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Ends with 1 unless there is one of the commands, with its argument. */
function readArguments() {
  try {
    const options = { workdir: { type: 'string', default: '.' } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [command = '', argument, ...more] = positionals
    const wanted = { list: [false], add: [false, true], rotate: [false], revoke: [true] }[command]
    if (wanted?.includes(argument !== undefined) && more.length === 0) {
      return { command, argument, workdir: values.workdir }
    }
    process.stderr.write(USAGE)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
  }
  process.exit(1)
}
