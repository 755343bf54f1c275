// The operator's commands, for a server that runs or is stopped. Each has a file with its usage.
import { runAsOwnerOf } from '../process/run-as-owner.ts'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { describe } from './describe-error.ts'

/** By name; loaded when they are run. */
export const COMMANDS: Record<string, () => Promise<Command>> = {
  backup: () => import('./backup.ts'),
  doctor: () => import('./doctor.ts'),
  keys: () => import('./keys.ts'),
  move: () => import('./move.ts'),
  psql: () => import('./psql.ts'),
  restore: () => import('./restore.ts'),
  upgrade: () => import('./upgrade.ts'),
}

export interface CommandProgram extends Pick<CommandContext, 'loadConfig' | 'pluginsFor'> {
  checksFor?: CommandContext['checksFor']
  /** Before the command's name, as the operator types it: `npm run`. */
  prefix: string
  /** After it. */
  suffix?: string
}

/** Runs the command of that name, prints what came of it, and resolves with its exit code. */
export async function runCommand(name: string, args: string[], program: CommandProgram): Promise<number> {
  const { prefix, suffix = '', pluginsFor, checksFor = () => ({}) } = program
  const command = await (COMMANDS[name] as () => Promise<Command>)()
  const usage = () => command.usage(`${prefix} ${name}${suffix}`)
  if (name !== 'psql' && args.includes('--help')) {
    process.stdout.write(usage())
    return 0
  }
  const loadConfig: CommandContext['loadConfig'] = (sources) => {
    const config = program.loadConfig(sources)
    runAsOwnerOf(config.dataDir)
    return config
  }
  try {
    return await command.run(args, { loadConfig, pluginsFor, checksFor })
  } catch (error) {
    if (error instanceof UsageError)
      process.stderr.write(error.message ? `${error.message}\n\n${usage()}` : usage())
    else process.stderr.write(`${describe(error)}\n`)
    return 1
  }
}
