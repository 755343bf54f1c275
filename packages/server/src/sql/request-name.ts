// Names the statements of one request for PostgreSQL: its id is application_name during the transaction, so
// pg_stat_activity shows it, and so does a log whose log_line_prefix has %a. A comment in the statement would do the
// same, but make each a different statement, to be parsed and planned anew.
// https://www.postgresql.org/docs/18/runtime-config-logging.html#GUC-APPLICATION-NAME
import type { Database } from './database.ts'
import type { Settings } from './roles.ts'

/** application_name of a request's statements. PostgreSQL keeps 63 bytes: 52 characters of the id. */
const nameOf = (requestId: string): string => `meadowlark ${requestId}`

/** The setting by which a caller's transaction (database.as) is named after its request. */
export const named = (requestId: string | undefined): Settings =>
  requestId === undefined ? {} : { application_name: nameOf(requestId) }

/** The same database, whose transactions are named after a request; what runs outside of them is not. */
export function inRequest(database: Database, requestId: string): Database {
  const naming = { text: `select set_config('application_name', $1, true)`, values: [nameOf(requestId)] }
  return {
    ...database,
    transaction: (work, begin = []) =>
      database.transaction((client, begun, last) => work(client, begun.slice(1), last), [naming, ...begin]),
  }
}
