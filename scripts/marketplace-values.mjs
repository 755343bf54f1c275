// The exports of marketplace.config.ts, for commands that run on Node without types.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const file = fileURLToPath(new URL('../marketplace.config.ts', import.meta.url))

/** Everything that the file exports. */
export async function marketplaceValues() {
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, write: false, format: 'esm' })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}
