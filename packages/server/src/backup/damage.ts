// Distinguishes a damaged backup from a backup repository that cannot be reached: the first limits what can be restored, the
// second is an error to try again after.
import { ConfigError } from '../config/config.ts'
import { fileProblem } from '../process/file-problem.ts'

/** A file of the backup is missing, has an unreadable sector, or other bytes than were written. The message names it. */
export class DamagedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DamagedError'
  }
}

/**
 * Errors of the network, of this machine and of permissions, after which a file may still be whole. EIO is none of them: with a
 * disk that has lost a sector, what else there is can be restored.
 */
const AWAY = /^E(?!IO$|RR_)/

/** The error to throw after `name` of a backup could not be read. A ConfigError passes through. */
export function unreadable(name: string, error: unknown): Error {
  if (error instanceof DamagedError || error instanceof ConfigError) return error
  const { code = '', name: kind, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || kind === 'NoSuchKey') return new DamagedError(`${name} is missing`)
  if (AWAY.test(code) || '$fault' in (error as object))
    return new ConfigError([
      `BACKUP_DIR, BACKUP_S3_BUCKET: ${name} cannot be read now (${fileProblem(error) ?? message}); try again`,
    ])
  return new DamagedError(`${name} cannot be read (${message})`)
}
