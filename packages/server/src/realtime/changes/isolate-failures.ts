// Runs many statements in one round trip, of which some may fail without affecting the others.
import { isStatementError, isUnavailable } from '../../sql/errors.ts'

/**
 * Runs all items at once. Where PostgreSQL refuses, they are halved until the one that fails is alone; its result is
 * null. Rejects with a connection failure.
 */
export async function isolateFailures<Item, Result>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<Result[]>,
): Promise<(Result | null)[]> {
  try {
    return await run(items)
  } catch (error) {
    if (!isStatementError(error) || isUnavailable(error)) throw error
    if (items.length <= 1) return items.map(() => null)
    const half = items.length >> 1
    return [
      ...(await isolateFailures(items.slice(0, half), run)),
      ...(await isolateFailures(items.slice(half), run)),
    ]
  }
}
