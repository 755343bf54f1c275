// A PostgreSQL that exists for one command: its files are removed afterwards, and the project's databases are not touched.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { externalPackages } from './external-packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = join(root, '.build/scratch-cluster.mjs')

/**
 * Runs `use({ cluster, server })`; `server` has the parts of the server that such commands need, built from their sources.
 * Returns what `use` returns.
 */
export async function withScratchCluster(use) {
  const server = await loadServer()
  const directory = await mkdtemp('/tmp/meadowlark-scratch-')
  try {
    const cluster = await server.startEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      extensions: [server.repositoryFile('packages/server/extensions')],
      settings: { fsync: 'off' },
      log: console.warn,
    })
    try {
      return await use({ cluster, server })
    } finally {
      await cluster.stop()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function loadServer() {
  await build({
    stdin: {
      contents: `export { startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
        export { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
        export { connectClient } from '@meadowlark/server/sql/client.ts'
        export { readCatalogue, readRows } from '@meadowlark/server/postgres/migrate/catalogue.ts'
        export { statementsOf } from '@meadowlark/server/postgres/migrate/statements.ts'
        export { repositoryFile } from './plugins/repository.ts'
        export { DATABASE_PLUGINS } from './plugins/index.ts'`,
      resolveDir: root,
    },
    bundle: true,
    plugins: [externalPackages],
    platform: 'node',
    format: 'esm',
    outfile: bundle,
  })
  return import(pathToFileURL(bundle).href)
}
