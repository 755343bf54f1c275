// npm run migration -- <name>: writes the next migration from the difference between what supabase/migrations make and what
// supabase/schemas define. Both are created in a scratch PostgreSQL.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differenceOf, GAP } from './schema-difference.mjs'
import { copyAsMigrations, schemaFiles } from './schema-files.mjs'
import { withScratchCluster } from './scratch-cluster.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = join(root, 'supabase')
const SCHEMAS = ['public', 'private']
const [name] = process.argv.slice(2)
if (!/^[a-z][a-z0-9_]*$/.test(name ?? '')) {
  process.stderr.write('Usage: npm run migration -- <name>, in small letters and underscores\n')
  process.exit(2)
}

const directory = await mkdtemp('/tmp/meadowlark-migration-')
try {
  await withScratchCluster(writeMigration)
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function writeMigration({ cluster, server }) {
  const schemas = join(directory, 'schemas')
  copyAsMigrations(project, schemas)
  const now = await contentsOf(server, cluster.url('template1'), project)
  const wanted = await contentsOf(server, cluster.url('postgres'), schemas)
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

/** Applies the migrations of `folder` to the database at `url` and reads what they made, rows included. */
async function contentsOf(server, url, folder) {
  await server.preparePlatform(url, { project: folder, plugins: server.DATABASE_PLUGINS, seed: [] })
  const client = await server.connectClient({ connectionString: url })
  try {
    return [...(await server.readCatalogue(client, SCHEMAS)), ...(await server.readRows(client, SCHEMAS))]
  } finally {
    await client.end()
  }
}
