// The open tasks near a point. A page begins after the last task of the page before (keyset).
import type { Position } from '../../../../shared/distances.ts'
import { toDollars } from '../../../../shared/money.ts'
import type { Rest } from '../../../lib/rest.ts'
import type { Browsing } from '../browsing.ts'
import { asked, type ListedTask, TASK_COLUMNS, toListedTask } from './openTasks.ts'

type Page = { after: ListedTask | undefined; size: number; signal: AbortSignal }

/** Open tasks at most `km` of the browsing from that point. */
export async function nearbyTasks(
  rest: Rest,
  browsing: Browsing,
  around: Position,
  { after, size, signal }: Page,
): Promise<ListedTask[]> {
  const { data } = await rest
    .rpc('nearby_tasks', {
      ...asked(browsing),
      ...around,
      radius_km: browsing.km,
      sort: browsing.sort,
      ...(after && { after: keysOf(after) }),
      max_results: size,
    })
    .select(TASK_COLUMNS)
    .abortSignal(signal)
    .throwOnError()
  return data.map(toListedTask)
}

/** By what the database continues the list. */
const keysOf = ({ id, created_at, pay_amount, public_latitude, public_longitude }: ListedTask) => ({
  id,
  created_at,
  pay_amount: toDollars(pay_amount),
  public_latitude,
  public_longitude,
})

/** How many there are, up to 100. */
export async function countNearbyTasks(
  rest: Rest,
  browsing: Browsing,
  around: Position,
  signal: AbortSignal,
): Promise<number> {
  const { data } = await rest
    .rpc('count_nearby_tasks', { ...asked(browsing), ...around, radius_km: browsing.km })
    .abortSignal(signal)
    .throwOnError()
  return data
}
