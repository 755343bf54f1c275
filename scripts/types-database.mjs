// npm run types:database: lays supabase/migrations in a PostgreSQL of its own and writes the types of what
// stands there to web/lib/database.types.ts, its rules to shared/rules.ts and its tables to docs/database.md.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { databasePage } from './database-page.mjs'
import { databaseRules, databaseTypes } from './database-types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = join(root, '.build/types-database.mjs')
await build({
  stdin: {
    contents: `export { startEmbeddedPostgres } from './server/postgres/cluster/embedded.ts'
      export { preparePlatform } from './server/platform.ts'
      export { packageFile } from './server/package-root.ts'`,
    resolveDir: root,
  },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  outfile: bundle,
})
const { startEmbeddedPostgres, preparePlatform, packageFile } = await import(pathToFileURL(bundle).href)

const directory = await mkdtemp('/tmp/meadowlark-types-')
const cluster = await startEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  extensions: [packageFile('extensions')],
  settings: { fsync: 'off' },
  log: console.warn,
})
try {
  await preparePlatform(cluster.url(), { project: packageFile('supabase'), seed: [] })
  await writeFile(join(root, 'web/lib/database.types.ts'), await databaseTypes(cluster.url()))
  await writeFile(join(root, 'shared/rules.ts'), await databaseRules(cluster.url()))
  const page = join(root, 'docs/database.md')
  await writeFile(page, await databasePage(cluster.url(), await readFile(page, 'utf8')))
} finally {
  await cluster.stop()
  await rm(directory, { recursive: true, force: true })
}
