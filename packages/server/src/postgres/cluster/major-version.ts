// The major version of PostgreSQL: a cluster's files are of one, and only programs of the same one can open them.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from './start-error.ts'

/** That of a cluster's files; null where there is no cluster. */
export function majorOfCluster(cluster: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** That of the embedded programs, by the package which `postgres`, a path, is part of. */
export function majorOfPrograms(postgres: string): number {
  const { version } = JSON.parse(readFileSync(join(dirname(postgres), '..', '..', 'package.json'), 'utf8'))
  return Number.parseInt(version, 10)
}

/** Throws StartError, which says what to do, where the programs cannot open the cluster. */
export function refuseOtherMajor(cluster: string, postgres: string): void {
  const [files, programs] = [majorOfCluster(cluster), majorOfPrograms(postgres)]
  if (files === null || files === programs) return
  const what = `DATA_DIR: ${cluster} is of PostgreSQL ${files}, and this version runs ${programs}. Nothing was changed`
  throw new StartError(
    files < programs
      ? `${what}: run the command upgrade, which brings it over, or start the version before`
      : `${what}: start the version that made it, or restore a backup of before`,
  )
}
