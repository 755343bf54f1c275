// The extensions of this folder stand in for those of Supabase that PostgreSQL does not bring: enough for migrations
// and, where the script says so, for what they do. One that cannot do what the real one does says so when it is created.
import { packageFile } from '../server/package-root.ts'
import type { Plugin } from '../server/plugin.ts'

export const extensionStandIns: Plugin = { name: 'extensions', extensions: packageFile('extensions') }
