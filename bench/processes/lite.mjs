// @supabase/lite on PostgreSQL, served as its documentation says: the peer of the Data API.
import { serve } from '@hono/node-server'
import { App } from '@supabase/lite'
import { createPostgresConnection } from '@supabase/lite/postgres'

const { DATABASE_URL, JWT_SECRET } = process.env
const { searchParams, pathname } = new URL(DATABASE_URL)
const connection = createPostgresConnection({
  url: 'postgres://localhost/',
  postgresOptions: {
    path: `${searchParams.get('socket')}/.s.PGSQL.5432`,
    username: searchParams.get('user'),
    database: pathname.slice(1),
    max: 20,
  },
})
const app = new App({
  connection,
  auth: { enabled: true, jwt_secret: JWT_SECRET },
  options: { server: { apiKeys: false, disableStudio: true } },
})
await app.init()
serve({ fetch: (request) => app.fetch(request), port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send({ ready: { port } }),
)
