// The file that PostgreSQL's messages go to: it has a bound, however long the server runs.
import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs'

const MAX_BYTES = 10_000_000
const CHECK_INTERVAL_MS = 60_000

/**
 * Puts what the file holds into `<file>.1`, over what that held, when it is larger than `maxBytes`. PostgreSQL goes on writing to
 * the same file, which must be open for appending.
 */
export function rotateLog(file: string, maxBytes = MAX_BYTES): void {
  if (!existsSync(file) || statSync(file).size <= maxBytes) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}

/** Rotates the file now and whenever it has grown; the returned function ends that. Problems go to `log`. */
export function keepLogSmall(file: string, log: (message: string) => void): () => void {
  const rotate = () => {
    try {
      rotateLog(file)
    } catch (error) {
      log(`PostgreSQL's log ${file} cannot be shortened: ${(error as Error).message}`)
    }
  }
  rotate()
  const timer = setInterval(rotate, CHECK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
