// Checks what was read against its shape and writes each fault as a line for the person who starts the server.
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { allowed, type EnvironmentVariables, environmentVariables } from './environment.ts'
import { type ConfigFile, configFile } from './file.ts'
import type { PluginSettings, PluginVariables } from './plugin-settings.ts'
import { shown } from './redact.ts'
import { missingVariable } from './substitute.ts'
import { WAIVERS } from './waivers.ts'

type Issue = z.core.$ZodIssue

/** Everything that is wrong, gathered so that all of it is reported at once. */
export class Problems {
  readonly lines: string[] = []

  /** The result of `read`, or null after its ConfigError was noted. */
  attempt<T>(read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.lines.push(...error.problems)
      return null
    }
  }

  /** Whether something is wrong with a setting of that name. */
  mention(name: string): boolean {
    return this.lines.some((line) => line.includes(name))
  }
}

/** The environment's variables; those that are wrong are noted and taken as not set. */
export function readVariables(
  set: Record<string, unknown>,
  problems: Problems,
  plugins: readonly PluginSettings[],
): EnvironmentVariables & PluginVariables {
  const waivers = [...WAIVERS, ...plugins.flatMap((plugin) => plugin.waivers ?? [])]
  const more: { ALLOW: ReturnType<typeof allowed> } = Object.assign(
    { ALLOW: allowed(waivers) },
    ...plugins.map(({ variables }) => variables),
  )
  const schema = environmentVariables.extend(more)
  const result = schema.safeParse(set)
  if (result.success) return result.data
  const right = { ...set }
  for (const issue of result.error.issues) {
    const name = String(issue.path[0])
    const value = shown([name], set[name]) ?? 'its value'
    problems.lines.push(`${name}: ${value} ${issue.message}; correct the environment variable or remove it`)
    delete right[name]
  }
  return schema.parse(right)
}

/** Where config.toml came from, for messages about it. */
export type Written = {
  /** The file's name, as it is shown. */
  file: string
  /** The content before the environment's values were filled in. */
  tree: unknown
}

/** config.toml with the environment's values in it. Throws a ConfigError with all that is wrong. */
export function readSettings(given: unknown, written: Written): ConfigFile {
  const result = configFile.safeParse(given)
  if (result.success) return result.data
  throw new ConfigError(result.error.issues.map((issue) => describe(issue, given, written)))
}

/** The same without whatever is wrong in it, for what else there is to say; null when too little is left. */
export function withoutFaults(given: unknown): ConfigFile | null {
  const result = configFile.safeParse(given)
  if (result.success) return result.data
  const right = structuredClone(given)
  for (const { path } of result.error.issues) {
    // A list goes as a whole.
    const index = path.findIndex((key) => typeof key === 'number')
    const names = (index < 0 ? path : path.slice(0, index)).map(String)
    const table = valueAt(right, names.slice(0, -1)) as Record<string, unknown> | undefined
    if (table) delete table[names.at(-1) ?? '']
  }
  return configFile.safeParse(right).data ?? null
}

function describe({ path, message }: Issue, given: unknown, { file, tree }: Written): string {
  const setting = path.map(String)
  const table = setting.length > 1 ? `[${setting.slice(0, -1).join('.')}] ` : ''
  const value = valueAt(given, path)
  const missing = missingVariable(value)
  if (missing) {
    return `${file}: ${table}${setting.at(-1)} takes its value from ${missing}, which is not set; set the environment variable`
  }
  // A variable may contain anything, so the message shows only its name.
  const variable = missingVariable(valueAt(tree, path))
  const what = variable ? `what ${variable} says` : shown(setting, value)
  return `${file}: ${table}${setting.at(-1)} ${what ? `is ${what}, but ` : ''}${message}`
}

function valueAt(tree: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((node, key) => (node as Record<PropertyKey, unknown> | undefined)?.[key], tree)
}
