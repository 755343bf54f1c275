// Reads supabase/config.toml, and next to it config.local.toml: the settings of one installation, which git ignores.
// Its tables merge into those of config.toml; every other value replaces the one there.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, TomlError, type TomlTable } from 'smol-toml'
import { ConfigError } from './config-error.ts'

/** The merged tables, empty where there is neither file; `shown` is how messages call `path`. */
export function readConfigFile(path: string, shown: string): TomlTable {
  const local = 'config.local.toml'
  return merge(readToml(path, shown), readToml(join(dirname(path), local), join(dirname(shown), local)))
}

/** `[api] port` of an unchecked file, when it is a port. */
export function apiPort(tree: TomlTable): number | undefined {
  const { port } = (tree.api ?? {}) as { port?: unknown }
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

function readToml(path: string, shown: string): TomlTable {
  if (!existsSync(path)) return {}
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The rest of its message quotes the file, which may hold a secret.
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new ConfigError([
      `${shown}: is not valid TOML at line ${error.line}, column ${error.column}: ${reason}`,
    ])
  }
}

function merge(base: TomlTable, over: TomlTable): TomlTable {
  const merged = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const below = base[name]
    merged[name] = isTable(below) && isTable(value) ? merge(below, value) : value
  }
  return merged
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
