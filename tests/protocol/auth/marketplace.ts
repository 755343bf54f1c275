// Servers for the auth tests: the marketplace's migrations and templates with a config.toml of the test.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Settings, authServer as start } from '../../../packages/server/tests/auth/project.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { startTestServer } from '../../support/server.ts'

/** As the server's own tests start it, on the marketplace's schema. */
export function authServer(settings?: Settings) {
  return start(settings, (options) => {
    for (const name of ['migrations', 'templates'])
      symlinkSync(repositoryFile(`supabase/${name}`), join(options?.workdir as string, 'supabase', name))
    return startTestServer(options)
  })
}
