// The platform without a project: what test databases of this package hold.
import { extensionStandIns } from '../../extensions/plugin.ts'
import { inboxSchema } from '../../src/inbox/plugin.ts'
import type { PlatformOptions } from '../../src/start/platform-schema.ts'

export const PLATFORM: PlatformOptions = {
  project: '/nowhere',
  plugins: [extensionStandIns, inboxSchema],
  migrations: false,
  seed: [],
}
