// A damaged backup, told apart from a place that cannot be reached: the first limits what can be restored, the second is
// an error to try again after.
import { ConfigError } from '../config.ts'
import { fileProblem } from '../file-problem.ts'

/** A file of the backup is missing, cannot be read, or has other bytes than were written. The message names the file. */
export class DamagedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DamagedError'
  }
}

/** Codes of errors on the way to a place, after which its files may still be whole. */
const AWAY = /^E(CONN|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND|PIPE)/

/** The error to throw after `name` of a backup could not be read. A ConfigError passes through. */
export function unreadable(name: string, error: unknown): Error {
  if (error instanceof DamagedError || error instanceof ConfigError) return error
  const { code = '', name: kind, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || kind === 'NoSuchKey') return new DamagedError(`${name} is missing`)
  if (AWAY.test(code) || '$fault' in (error as object))
    return new ConfigError([
      `BACKUP_DIR, BACKUP_S3_BUCKET: ${name} cannot be read now (${message}); try again`,
    ])
  return new DamagedError(`${name} cannot be read (${fileProblem(error) ?? message})`)
}
