// Broadcasts of a private channel that were sent before it was joined, read from realtime.messages.
// https://supabase.com/docs/guides/realtime/broadcast#broadcast-replay
import type { Database } from '../../sql/database.ts'
import { UserBroadcast } from './frames.ts'

const MAX_MESSAGES = 25
/** The latest time that a JavaScript date can be. */
const MAX_DATE_MS = 8.64e15

/** The latest `limit` sent since `since` (milliseconds since 1970), oldest first, marked as replayed. */
export async function messagesToReplay(
  database: Database,
  subTopic: string,
  { since, limit }: { since: number; limit: number },
): Promise<UserBroadcast[]> {
  const { rows } = await database.pool.query(
    `select id, event, payload::text as payload, binary_payload from realtime.messages
      where topic = $1 and private is true and extension = 'broadcast'
        and inserted_at >= to_timestamp($2::float8 / 1000)::timestamp
      order by inserted_at desc limit $3`,
    [subTopic, Math.min(since, MAX_DATE_MS), Math.min(MAX_MESSAGES, Math.max(1, limit))],
  )
  return rows.reverse().map(({ id, event, payload, binary_payload: bytes }) => {
    const meta = { replayed: true, id }
    if (bytes) return new UserBroadcast(event ?? '', 'binary', bytes, meta)
    return new UserBroadcast(event ?? '', 'json', Buffer.from(payload ?? '{}'), meta)
  })
}
