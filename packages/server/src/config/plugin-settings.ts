// The environment variables that a plugin reads, and its requirements on them.
import type { z } from 'zod'
import type { Shortcoming } from './waivers.ts'

export type PluginVariables = Readonly<Record<string, unknown>>

export interface PluginSettings {
  /** Its variables by name; each may be missing. */
  variables: Readonly<Record<string, z.ZodType>>
  /** The names that ALLOW takes for what `check` finds. */
  waivers?: readonly string[]
  /** Missing requirements. Throws a ConfigError for those that cannot be waived. */
  check?(variables: PluginVariables, facts: Facts): Shortcoming[]
}

type Facts = {
  production: boolean
  /** Whether the project is Meadowlark's own, and not one named by --workdir. */
  ownProject: boolean
  /** The environment of functions from functions/.env and [edge_runtime.secrets]. */
  functionSecrets: Readonly<Record<string, string>>
}
