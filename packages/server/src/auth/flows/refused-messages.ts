// Messages that a limit or the project's hook refuses. The change that a message is about holds all the same: otherwise
// whoever uses up a limit could keep the owner of an address from replacing a stranger's claim (docs/security.md).
import type { Transaction } from '../../sql/queryable.ts'
import { AuthError } from '../errors.ts'

/** Sends a message. Answers why it was refused, after undoing the message alone; null for one that was sent. */
export async function attemptMessage(
  client: Transaction,
  send: () => Promise<unknown>,
): Promise<AuthError | null> {
  await client.query('savepoint message')
  try {
    await send()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    await client.query('rollback to savepoint message')
    return error
  }
  await client.query('release savepoint message')
  return null
}

/** The error that `count` throws, for a caller that commits a change before it throws; null where it throws none. */
export function limitErrorOf(count: () => void): AuthError | null {
  try {
    count()
    return null
  } catch (error) {
    if (error instanceof AuthError) return error
    throw error
  }
}
