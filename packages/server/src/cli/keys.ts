// The key pairs that sign people's tokens, and the API keys.
import { type Config, ConfigError } from '../config/config.ts'
import { listApiKeys, revokeApiKey, rotateApiKey } from '../keys/api-key-rotation.ts'
import { API_KEY_KINDS } from '../keys/api-keys.ts'
import { ALGORITHMS, addKey, listKeys, revokeKey, rotateKeys } from '../keys/key-rotation.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'

export const usage = (call: string) => `Usage: ${call} COMMAND [--workdir DIR]
  list               the keys: current signs, standby will, previous and own verify; of API keys, their beginnings
  add [ALGORITHM]    makes a key that stands by: ES256 (default), RS256 or EdDSA
  rotate             lets the key that stands by sign; the current one verifies on
  rotate publishable makes a new publishable API key; the current one is accepted until it is revoked
  rotate secret      the same for the secret API key; the new one is in DATA_DIR/keys.json
  revoke KEY         takes a replaced key away, named as list names it
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Running servers read the changed keys by themselves.
`

/** Whether each command may have, or lack, an argument. */
const ARGUMENTS: Record<string, boolean[]> = {
  list: [false],
  add: [false, true],
  rotate: [false, true],
  revoke: [true],
}

export async function run(args: string[], { loadConfig }: CommandContext): Promise<number> {
  const { values, positionals } = readOptions(withKeyLast(args), {})
  const [command = '', argument, ...more] = positionals
  if (!ARGUMENTS[command]?.includes(argument !== undefined) || more.length > 0) throw new UsageError()
  process.stdout.write(`${await act(loadConfig({ workdir: values.workdir }), command, argument)}\n`)
  return 0
}

/** Resolves with the text to print. */
async function act(config: Config, command: string, argument: string | undefined): Promise<string> {
  switch (command) {
    case 'add': {
      const algorithm = argument ? oneOf(ALGORITHMS, argument, 'the algorithm') : 'ES256'
      return `${await addKey(config, algorithm)} stands by.`
    }
    case 'rotate':
      if (!argument) return `${await rotateKeys(config)} signs.`
      return `${await rotateApiKey(config, oneOf(API_KEY_KINDS, argument, 'the kind of API key'))}… is in use.`
    case 'revoke':
      if (argument?.startsWith('sb_')) revokeApiKey(config, argument)
      else await revokeKey(config, argument as string)
      return `${argument} is revoked.`
    default:
      return list(config)
  }
}

function oneOf<Name extends string>(allowed: readonly Name[], given: string, what: string): Name {
  const known = allowed.find((name) => name === given)
  if (known) return known
  throw new ConfigError([`${what} must be ${allowed.join(', ')}`])
}

async function list(config: Config): Promise<string> {
  const pairs = (await listKeys(config)).map(({ kid, algorithm, state }) => `${kid}  ${algorithm}  ${state}`)
  const apiKeys = listApiKeys(config).map(({ name, kind, state }) => `${name}  ${kind} key  ${state}`)
  return [...pairs, ...apiKeys].join('\n')
}

/** Key ids are base64url: one in 64 begins with '-', as options do. It goes to the end, after '--'. */
function withKeyLast([command, key = '', ...more]: string[]): string[] {
  const isKey = command === 'revoke' && key.startsWith('-') && !key.startsWith('--workdir')
  return isKey ? [command, ...more, '--', key] : [command ?? '', key, ...more].filter(Boolean)
}
