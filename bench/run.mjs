// npm run bench [words]: measures and prints each figure next to its baseline. A topic is a file here or in
// packages/server/bench (<topic>.ts); words choose the topics whose names hold one of them, none means all but the hour's, which
// takes one. Words that no topic is named by choose single cases of a topic that has them.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { bundlePackage } from '../packages/server/bundle.mjs'
import { build } from '../scripts/build.mjs'
import { externalPackages } from '../scripts/external-packages.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..')
const out = join(root, '.build/bench')
const SERVER = 'packages/server'
/** Folders of topics: the marketplace's and the server's. */
const FOLDERS = ['bench', `${SERVER}/bench`]

const words = process.argv.slice(2)
/** Each topic's file without its ending, by the topic's name. */
const files = Object.fromEntries(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => name.slice(0, -'.ts'.length))
      .map((name) => [name, `${folder}/${name}`]),
  ),
)
const names = Object.keys(files).toSorted()
const topics = names.filter((name) =>
  words.length === 0 ? name !== 'hour' : words.some((word) => name.includes(word)),
)
if (topics.length === 0) fail(`No topic is named like ${words.join(' or ')}.`)
const cases = words.filter((word) => !names.some((name) => name.includes(word)))
// The server's topics need no peer.
if (topics.some((name) => files[name].startsWith('bench/')) && !existsSync(join(here, 'node_modules')))
  fail('The peers are not installed: run `npm ci` in the folder bench, then this again.')

await build()
await bundlePackage()
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const STAGE = `${SERVER}/bench/stage`
await bundle({
  absWorkingDir: root,
  entryPoints: [...topics.map((name) => files[name]), `${STAGE}/report`, `${STAGE}/control-group`].map(
    (path) => `${path}.ts`,
  ),
  outdir: out,
  outbase: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  plugins: [externalPackages],
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
const load = (path) => import(pathToFileURL(join(out, `${path}.mjs`)).href)
const { measureTopic, table, verdict } = await load(`${STAGE}/report`)
const { enterControlGroup } = await load(`${STAGE}/control-group`)

const figures = []
const log = (line) => process.stderr.write(`   ${line}\n`)
enterControlGroup(log)
for (const name of topics) {
  const topic = await load(files[name])
  process.stderr.write(`\n━━ ${topic.title ?? name}\n`)
  const began = performance.now()
  const found = await measureTopic(name, topic, { cases, log })
  figures.push(...found)
  process.stderr.write(`   ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
}
process.stdout.write(`\n${table(figures)}\n\n${verdict(figures)}\n`)
writeFileSync(join(out, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
// Sockets and timers that a topic left must not delay the output.
process.exit(figures.some((figure) => figure.error) ? 1 : 0)

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
