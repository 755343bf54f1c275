// Replaces `env(NAME)` in a parsed config.toml by the environment's values, as the Supabase CLI does.

export type Environment = Record<string, string | undefined>

/** Tables whose entries are left out when their variable is not set. */
const OPTIONAL = ['edge_runtime.secrets', 'db.vault']

const PATTERN = /^env\(\s*([A-Za-z_][A-Za-z0-9_]*)\s*\)$/

/** The variable's name when `value` is an `env(NAME)` that found no value, else null. */
export function missingVariable(value: unknown): string | null {
  return (typeof value === 'string' && PATTERN.exec(value)?.[1]) || null
}

/**
 * A copy of `tree` with every `env(NAME)` replaced. One without a value stays as it is, so that validation can name
 * it where it is used. It is left out inside a table that says `enabled = false`, where nothing uses it, and among
 * the secrets of functions and of the vault.
 */
export function substitute(tree: unknown, environment: Environment): unknown {
  return walk(tree, environment, false, '')
}

function walk(node: unknown, environment: Environment, unused: boolean, path: string): unknown {
  if (typeof node === 'string') {
    const name = missingVariable(node)
    const value = name ? environment[name] : node
    return value === undefined || (name && value === '') ? (unused ? undefined : node) : value
  }
  if (Array.isArray(node)) {
    return node.map((item) => walk(item, environment, unused, path)).filter((item) => item !== undefined)
  }
  if (node === null || typeof node !== 'object' || node instanceof Date) return node
  const table = node as Record<string, unknown>
  const optional = unused || table.enabled === false || OPTIONAL.includes(path)
  const entries = Object.entries(table).map(([key, value]) => [
    key,
    walk(value, environment, optional, path ? `${path}.${key}` : key),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
