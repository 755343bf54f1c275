// How many connections to PostgreSQL one server may have, and how they are shared out among its parts.

/** The most connections of each pool. */
export interface ConnectionShares {
  /** As the platform's owner: auth, job queue (one of them listens for jobs), catalogue, Realtime's own questions. */
  owner: number
  /** As authenticator, for transactions that the Data API frames and for what Realtime does as a caller. */
  requests: number
  /** As authenticator, for the Data API's requests. */
  rest: number
  storage: number
  /** Commands that run at once for cron.schedule. */
  cron: number
}

/**
 * Not in any pool: the replication stream, the line to other servers, the one that listens for schema changes, and the
 * one that shows that this server's jobs are worked on.
 */
export const UNPOOLED = 4

/** With fewer, some part would have none. */
export const MIN_CONNECTIONS = UNPOOLED + 7

/** Shares out `max` connections in all, of which there must be MIN_CONNECTIONS. */
export function shareConnections(max: number): ConnectionShares {
  const pooled = max - UNPOOLED
  const shares = {
    owner: Math.max(3, Math.round(pooled / 4)),
    requests: Math.max(1, Math.round(pooled / 8)),
    storage: Math.max(1, Math.round(pooled / 8)),
    cron: pooled < 14 ? 1 : 2,
  }
  const { owner, requests, storage, cron } = shares
  return { ...shares, rest: pooled - owner - requests - storage - cron }
}
