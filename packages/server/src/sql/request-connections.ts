// The Data API's connections to PostgreSQL, as the role that `requests` signs in with. The only file that knows of
// batching/: without that folder it would say inBytes(requests), and each read would have a connection to itself (ADR 20).
export { openBatchingDatabase as openConnections } from './batching/database.ts'
