// Servers on other people's projects, in the styles that such projects are written in: see projects/.
import { afterAll, beforeAll } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

export const projects = repositoryFile('tests/protocol/server/projects')

/** A server on one of the projects, seeded, for the tests of a describe. */
export function running(name: string): () => TestServer {
  let empty: TestDatabase
  let server: TestServer
  beforeAll(async () => {
    empty = await createTestDatabase(null)
    server = await startTestServer({
      workdir: `${projects}/${name}`,
      seed: true,
      env: { DATABASE_URL: empty.url },
    })
  })
  afterAll(async () => {
    await server?.stop()
    await empty?.drop()
  })
  return () => server
}

/** A client of somebody whom the seed made. */
export async function signIn(server: TestServer, email: string) {
  const client = stranger(server)
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
  if (error) throw error
  return client
}

export const soon = { timeout: 60_000, interval: 100 }
