// npm run bench [words]: measures and prints each figure next to its baseline. A topic is a file here
// (bench/<topic>.ts); words choose the topics whose names hold one of them, none means all but the hour's, which
// takes one. Words that no topic is named by choose single cases of a topic that has them.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { build } from '../scripts/build.mjs'
import { externalPackages } from '../scripts/external-packages.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const out = join(here, '../.build/bench')

const words = process.argv.slice(2)
const names = readdirSync(here)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => name.slice(0, -'.ts'.length))
const topics = names.filter((name) =>
  words.length === 0 ? name !== 'hour' : words.some((word) => name.includes(word)),
)
if (topics.length === 0) fail(`No topic is named like ${words.join(' or ')}.`)
const cases = words.filter((word) => !names.some((name) => name.includes(word)))
if (!existsSync(join(here, 'node_modules')))
  fail('The peers are not installed: run `npm ci` in the folder bench, then this again.')

await build()
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
await bundle({
  entryPoints: [
    ...topics.map((name) => join(here, `${name}.ts`)),
    join(here, 'stage/report.ts'),
    join(here, 'stage/control-group.ts'),
  ],
  outdir: out,
  outbase: here,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  plugins: [externalPackages],
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
const load = (name) => import(pathToFileURL(join(out, `${name}.mjs`)).href)
const { measureTopic, table, verdict } = await load('stage/report')
const { enterControlGroup } = await load('stage/control-group')

const figures = []
const log = (line) => process.stderr.write(`   ${line}\n`)
enterControlGroup(log)
for (const name of topics) {
  const topic = await load(name)
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
