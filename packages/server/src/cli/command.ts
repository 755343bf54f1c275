// A command of the operator: one file with its usage and its work.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Config, ConfigSources } from '../config/config.ts'
import type { Plugin } from '../plugin.ts'

/** The program's data that a command needs. */
export interface CommandContext {
  /** Reads the configuration; as root, the command then goes on as the account that the data belong to. */
  loadConfig(sources: Pick<ConfigSources, 'workdir' | 'production'>): Config
  pluginsFor(config: Config): Plugin[]
  /** SQL that counts what has to be 0 in a database that was restored or upgraded, by what it counts. */
  checksFor(config: Config): Record<string, string>
}

export interface Command {
  /** `call` is how the operator types the command. */
  usage(call: string): string
  /** Resolves with the exit code. Rejects with what `describe` prints, or with a UsageError. */
  run(args: string[], context: CommandContext): Promise<number>
}

/** Arguments that the command does not take. */
export class UsageError extends Error {}

const WORKDIR = { workdir: { type: 'string', default: '.' } } as const
type Options = NonNullable<ParseArgsConfig['options']>
type Read<T extends Options> = ReturnType<
  typeof parseArgs<{ options: T & typeof WORKDIR; allowPositionals: true }>
>

/** The options and arguments of a command, `--workdir` (default: this folder) among them. Throws a UsageError. */
export function readOptions<const T extends Options>(args: string[], options: T): Read<T> {
  try {
    return parseArgs({ args, options: { ...options, ...WORKDIR }, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
