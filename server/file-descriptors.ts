// Room in the process's table of open files for as many connections as it may have. Linux lets the table grow by doubling,
// and a process with threads stands still meanwhile, in the middle of taking a connection
// (docs/decisions/0040-room-for-open-files.md).
import { Worker } from 'node:worker_threads'

/** Has so many files open at once that the table is as large as it can be needed. A table never shrinks. */
const MAKE_ROOM = `
const { closeSync, openSync } = require('node:fs')
const { workerData: count } = require('node:worker_threads')
const opened = []
try {
  while (opened.length < count) opened.push(openSync('/dev/null', 'r'))
} catch (error) {
  if (error.code !== 'EMFILE') throw error
} finally {
  for (const file of opened) closeSync(file)
}`

/**
 * Makes the table large enough for `count` open files, or for as many as the process may have (`ulimit -n`), in a thread
 * of its own. Rejects when files cannot be opened for another reason: the table then grows when it is needed.
 */
export function makeRoomForFiles(count: number): Promise<void> {
  // The table has a power of two of places: one file beyond the half of them makes it as large as all need.
  const workerData = 2 ** Math.floor(Math.log2(count))
  const worker = new Worker(MAKE_ROOM, { eval: true, execArgv: [], workerData })
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}
