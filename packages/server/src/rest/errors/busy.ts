// Requests rejected for lack of capacity. PostgREST has none, so they use PostgreSQL's code for a configured limit.
import type { BodyRefused } from '../../http/body-refused.ts'
import { RestError } from './errors.ts'

/** A body that comes too slowly, or for which there is no room in memory just now. */
export const bodyRefused = ({ status, message, headers }: BodyRefused) =>
  new RestError(
    status,
    { code: status === 408 || status === 413 ? 'PGRST102' : '53400', message },
    headers['retry-after'] ? { 'Retry-After': headers['retry-after'] } : {},
  )

/** Too much is under way on the database: of the caller's `own`, or of everybody's. */
export const databaseBusy = (own: boolean) =>
  new RestError(
    own ? 429 : 503,
    {
      code: '53400',
      message: own
        ? 'Too many of your requests are being worked on; try again in a few seconds'
        : 'The database is busy; try again in a few seconds',
      hint: own ? 'Ask for less at once: fewer requests, fewer rows, fewer nested embeds.' : null,
    },
    { 'Retry-After': '5' },
  )
