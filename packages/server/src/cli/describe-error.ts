// Prints the error that ends a command.
import { ConfigError } from '../config/config.ts'
import { MoveError } from '../move/plan.ts'
import { StartError } from '../postgres/cluster/start-error.ts'
import { SqlFileError } from '../postgres/migrate/sql-error.ts'
import { fileProblem } from '../process/file-problem.ts'
import { LockedError } from '../process/lock.ts'

/** The error's message if it was written for readers, otherwise the stack. */
export function describe(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('\n')
  for (const readable of [LockedError, MoveError, SqlFileError, StartError])
    if (error instanceof readable) return error.message
  if (error instanceof Error && isOfConnection(error)) return `no connection: ${error.message}`
  const problem = fileProblem(error)
  if (problem) return problem
  if (error instanceof Error) return error.stack ?? error.message
  return String(error)
}

/** Node.js's codes for a host that has no address or does not answer, and PostgreSQL's for one that lets nobody in. */
const CONNECTION_CODES =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|28...|3D000)$/

/** Whether its message, which names the host, the role or the database, is all that an operator needs. */
function isOfConnection(error: Error & { code?: unknown }): boolean {
  return typeof error.code === 'string' && CONNECTION_CODES.test(error.code)
}
