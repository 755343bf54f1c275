// The code that a host of static files runs before them (deploy/<host>.ts), in one file that needs nothing else.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Writes it to the file `to`. `site` is what writeStaticSite() answers, `app` the path of the written app.html.
 * @param {{ host: 'cloudflare' | 'netlify', to: string, site: object, app: string }} options
 */
export async function writeHostCode({ host, to, site, app }) {
  await build({
    entryPoints: [fileURLToPath(new URL(`../deploy/${host}.ts`, import.meta.url))],
    outfile: to,
    bundle: true,
    format: 'esm',
    external: ['node:*'],
    define: { SITE: JSON.stringify(site), APP: JSON.stringify(readFileSync(app, 'utf8')) },
    logLevel: 'warning',
  })
}
