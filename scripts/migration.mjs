// npm run migration -- <name>: writes the next migration from the difference between what supabase/migrations make and what
// supabase/schemas define. Both are created in a PostgreSQL of its own; the project's databases are not touched.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { differenceOf, GAP } from './schema-difference.mjs'
import { copyAsMigrations, schemaFiles } from './schema-files.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = join(root, 'supabase')
const SCHEMAS = ['public', 'private']
const [name] = process.argv.slice(2)
if (!/^[a-z][a-z0-9_]*$/.test(name ?? '')) {
  process.stderr.write('Usage: npm run migration -- <name>, in small letters and underscores\n')
  process.exit(2)
}

const bundle = join(root, '.build/migration.mjs')
await build({
  stdin: {
    contents: `export { startEmbeddedPostgres } from './server/postgres/cluster/embedded.ts'
      export { preparePlatform } from './server/platform.ts'
      export { connectClient } from './server/sql/client.ts'
      export { readCatalogue, readRows } from './server/postgres/migrate/catalogue.ts'
      export { statementsOf } from './server/postgres/migrate/statements.ts'
      export { packageFile } from './server/package-root.ts'
      export { DATABASE_PLUGINS } from './start/plugins.ts'`,
    resolveDir: root,
  },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  outfile: bundle,
})
const server = await import(pathToFileURL(bundle).href)

const directory = await mkdtemp('/tmp/meadowlark-migration-')
try {
  const cluster = await server.startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    extensions: [server.packageFile('extensions')],
    settings: { fsync: 'off' },
    log: console.warn,
  })
  try {
    await writeMigration(cluster)
  } finally {
    await cluster.stop()
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function writeMigration(cluster) {
  const schemas = join(directory, 'schemas')
  copyAsMigrations(project, schemas)
  const now = await contentsOf(cluster, 'template1', project)
  const wanted = await contentsOf(cluster, 'postgres', schemas)
  const files = await Promise.all(schemaFiles(project).map((path) => readFile(path, 'utf8')))
  const statements = files.flatMap((sql) => server.statementsOf(sql).map(({ text }) => text))
  const sql = differenceOf(now, wanted, statements)
  if (!sql) {
    process.stdout.write('supabase/schemas define what supabase/migrations make: there is nothing to write\n')
    return
  }
  const version = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const path = join(project, 'migrations', `${version}_${name}.sql`)
  const title = `-- ${name.replaceAll('_', ' ')}: what supabase/schemas define and earlier migrations do not`
  await writeFile(path, `${title}\nset check_function_bodies = off;\n\n${sql}\n`)
  const gaps = sql.split('\n').filter((line) => line.startsWith(GAP))
  process.stdout.write(`${relative(root, path)}\n${gaps.map((line) => `  ${line}\n`).join('')}`)
}

/** Applies the migrations of `folder` to a database of the cluster and reads what they made, rows included. */
async function contentsOf(cluster, database, folder) {
  const url = cluster.url(database)
  await server.preparePlatform(url, { project: folder, plugins: server.DATABASE_PLUGINS, seed: [] })
  const client = await server.connectClient({ connectionString: url })
  try {
    return [...(await server.readCatalogue(client, SCHEMAS)), ...(await server.readRows(client, SCHEMAS))]
  } finally {
    await client.end()
  }
}
