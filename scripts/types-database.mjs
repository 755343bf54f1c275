// npm run types:database: applies supabase/migrations to a scratch PostgreSQL and writes the types of the result to
// web/lib/database.types.ts, its rules to shared/rules.ts and its tables to docs/database.md.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databasePage } from './database-page.mjs'
import { databaseRules, databaseTypes } from './database-types.mjs'
import { withScratchCluster } from './scratch-cluster.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

await withScratchCluster(async ({ cluster, server }) => {
  await server.preparePlatform(cluster.url(), { project: server.repositoryFile('supabase'), seed: [] })
  await writeFile(join(root, 'web/lib/database.types.ts'), await databaseTypes(cluster.url()))
  await writeFile(join(root, 'shared/rules.ts'), await databaseRules(cluster.url()))
  const page = join(root, 'docs/database.md')
  await writeFile(page, await databasePage(cluster.url(), await readFile(page, 'utf8')))
})
