// The command doctor: looks at a whole installation, whether its server runs or not, changes nothing, and says what to do.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runningDatabaseUrl } from '../cli/project-database.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { type Keys, openKeys } from '../keys/keys.ts'
import type { Plugin } from '../plugin.ts'
import { examineDatabase } from './database.ts'
import { type Finding, failure, warning } from './finding.ts'
import { examineMachine } from './machine.ts'
import { examineBackup, examineFiles, examineMail, examineSite } from './services.ts'
import { examineTemplates } from './templates.ts'

/** Yields the findings of each part as soon as they are known. */
export async function* examine(config: Config, plugins: readonly Plugin[] = []): AsyncIterable<Finding> {
  yield* await examineMachine(config)
  yield* config.warnings.map((line) => warning('settings', line))
  const url = databaseOf(config)
  yield* url
    ? await examineDatabase(url, config)
    : [
        warning(
          'database',
          'the server does not run; start it, and look again for what only then can be seen',
        ),
      ]
  yield* await examineMail(config)
  yield* examineTemplates(config)
  yield* await examineFiles(config)
  yield* await examineBackup(config)
  for (const plugin of plugins) yield* (await plugin.examine?.()) ?? []
  const keys = await keysOf(config)
  if (keys instanceof Error) yield failure('keys', keys.message)
  else if (keys) yield* await examineSite(config, keys)
}

function databaseOf(config: Config): string | null {
  try {
    return runningDatabaseUrl(config)
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

/** Null before the first start, which makes them. */
async function keysOf(config: Config): Promise<Keys | ConfigError | null> {
  if (!existsSync(join(config.dataDir, 'keys.json'))) return null
  try {
    return await openKeys(config)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}
