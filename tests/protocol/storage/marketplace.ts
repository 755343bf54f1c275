// Storage on the marketplace's server, with its people.
import { startStorage as start } from '../../../packages/server/tests/storage/storage.ts'
import { signedIn } from '../../support/people.ts'
import { startTestServer } from '../../support/server.ts'

type Options = Parameters<typeof start>[0]

/** As the server's own tests start it, with the marketplace's plugins, migrations and accounts. */
export const startStorage = (options?: Options) =>
  start(options, { start: startTestServer, signIn: signedIn })
