// supabase/schemas: the current definition of every object, in the order of config.toml's `[db.migrations] schema_paths`.
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'

/** Paths of the schema files of `project` (the folder that holds config.toml), in order. */
export function schemaFiles(project) {
  const { db } = parse(readFileSync(join(project, 'config.toml'), 'utf8'))
  return db.migrations.schema_paths.map((path) => join(project, path))
}

/**
 * Makes `folder` a project whose migrations are the schema files of `project`, so that a start creates what they define.
 */
export function copyAsMigrations(project, folder) {
  mkdirSync(join(folder, 'migrations'), { recursive: true })
  for (const [at, path] of schemaFiles(project).entries())
    cpSync(path, join(folder, 'migrations', `${String(at).padStart(14, '0')}_schema.sql`))
}
