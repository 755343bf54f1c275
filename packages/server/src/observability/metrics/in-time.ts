// How long a reading of the metrics waits for the database. Whoever reads every five seconds gives up after as many: where
// the database is away, what is known without it has to arrive all the same, or the server itself would count as down.

/** Milliseconds, as for `/health/ready`; requests wait longer for a database that restarts. */
export const DATABASE_TIMEOUT_MS = 2000

/** The same, but rejects where it takes longer. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('the database does not answer'))
    const timer = setTimeout(late, DATABASE_TIMEOUT_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
