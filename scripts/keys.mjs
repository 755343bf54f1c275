// npm run keys -- list|add|rotate|revoke: the key pairs that sign people's tokens, and the API keys.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const USAGE = `Usage: npm run keys -- COMMAND [--workdir DIR]
  list               the keys: current signs, standby will, previous and own verify; of API keys, their beginnings
  add [ALGORITHM]    makes a key that stands by: ES256 (default), RS256 or EdDSA
  rotate             lets the key that stands by sign; the current one verifies on
  rotate publishable makes a new publishable API key; the current one is accepted until it is revoked
  rotate secret      the same for the secret API key; the new one is in DATA_DIR/keys.json
  revoke KEY         takes a replaced key away, named as list names it
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Running servers read the changed keys by themselves.
`
const { command, argument, workdir } = readArguments()

const commandsOfServer = await loadCommands()
const { ConfigError, describe, loadConfig } = commandsOfServer

try {
  process.stdout.write(`${await run(loadConfig({ workdir }))}\n`)
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Resolves with what is printed. */
async function run(config) {
  const { addKey, ALGORITHMS, API_KEY_KINDS, revokeApiKey, revokeKey, rotateApiKey, rotateKeys } =
    commandsOfServer
  const oneOf = (allowed, what) => {
    if (allowed.includes(argument)) return argument
    throw new ConfigError([`${what} must be ${allowed.join(', ')}`])
  }
  switch (command) {
    case 'add':
      return `${await addKey(config, argument ? oneOf(ALGORITHMS, 'the algorithm') : 'ES256')} stands by.`
    case 'rotate':
      if (!argument) return `${await rotateKeys(config)} signs.`
      return `${await rotateApiKey(config, oneOf(API_KEY_KINDS, 'the kind of API key'))}… is in use.`
    case 'revoke':
      if (argument.startsWith('sb_')) revokeApiKey(config, argument)
      else await revokeKey(config, argument)
      return `${argument} is revoked.`
    default:
      return list(config)
  }
}

async function list(config) {
  const { listApiKeys, listKeys } = commandsOfServer
  const pairs = (await listKeys(config)).map(({ kid, algorithm, state }) => `${kid}  ${algorithm}  ${state}`)
  const apiKeys = listApiKeys(config).map(({ name, kind, state }) => `${name}  ${kind} key  ${state}`)
  return [...pairs, ...apiKeys].join('\n')
}

/** Ends with 1 unless there is one of the commands, with its argument. */
function readArguments() {
  try {
    const options = { workdir: { type: 'string', default: '.' } }
    const { values, positionals } = parseArgs({
      args: withKeyLast(process.argv.slice(2)),
      options,
      allowPositionals: true,
    })
    const [command = '', argument, ...more] = positionals
    const wanted = { list: [false], add: [false, true], rotate: [false, true], revoke: [true] }[command]
    if (wanted?.includes(argument !== undefined) && more.length === 0) {
      return { command, argument, workdir: values.workdir }
    }
    process.stderr.write(USAGE)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
  }
  process.exit(1)
}

/** Key ids are base64url: one in 64 begins with '-', as options do. It goes to the end, after '--'. */
function withKeyLast([command, key = '', ...more]) {
  const isKey = command === 'revoke' && key.startsWith('-') && !key.startsWith('--workdir')
  return isKey ? [command, ...more, '--', key] : [command, key, ...more].filter(Boolean)
}
