// The ten files that packages/server/src/rest/README.md lists as the path of a read, from the socket to SQL.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { files, imports, root } from '../support/sources.ts'

test('ten files lead a read from the socket to SQL, each imported by one above it', () => {
  const readme = readFileSync(join(root, 'packages/server/src/rest/README.md'), 'utf8')
  const links = [...readme.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link]) => link as string)
  const path = links.map((link) => join('packages/server/src/rest', link))
  expect([path.length, path[0], path.at(-1)]).toEqual([
    10,
    'packages/server/src/http/listener.ts',
    'packages/server/src/sql/pipeline.ts',
  ])
  const sources = files(/^packages\/server\/src\/.*\.ts$/).filter((source) => path.includes(source.path))
  const above = (step: number) => sources.filter((source) => path.slice(1, step).includes(source.path))
  // The listener reaches app.ts by the table of services.
  const unreached = path.filter(
    (step, at) => at > 1 && !above(at).some((source) => imports(source).some((one) => one.path === step)),
  )
  expect(unreached).toEqual([])
})
