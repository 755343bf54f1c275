// Broadcasts of a private channel that were sent before somebody joined it, out of realtime.messages.
// https://supabase.com/docs/guides/realtime/broadcast#broadcast-replay
import type { Database } from '../../sql/database.ts'
import { UserBroadcast } from './frames.ts'

/** However many are asked for. */
const MOST = 25

/** The latest `limit` sent since `since` (milliseconds since 1970), oldest first, marked as replayed. */
export async function keptMessages(
  database: Database,
  topic: string,
  { since, limit }: { since: number; limit: number },
): Promise<UserBroadcast[]> {
  const { rows } = await database.pool.query(
    `select id, event, payload::text as payload, binary_payload from realtime.messages
      where topic = $1 and private is true and extension = 'broadcast'
        and inserted_at >= to_timestamp($2::float8 / 1000)::timestamp
      order by inserted_at desc limit $3`,
    [topic, Math.min(since, 8.64e15), Math.min(MOST, Math.max(1, limit))],
  )
  return rows.reverse().map(({ id, event, payload, binary_payload: bytes }) => {
    const meta = { replayed: true, id }
    if (bytes) return new UserBroadcast(event ?? '', 'binary', bytes, meta)
    return new UserBroadcast(event ?? '', 'json', Buffer.from(payload ?? '{}'), meta)
  })
}
