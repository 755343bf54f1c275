// Packages that are loaded late are loaded by lazy-packages.ts alone: another import() would need node_modules at its time.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile } from '../../server/package-root.ts'

/** Files whose import() runs during a start, or only during one. */
const AT_START = [
  'backup/s3-place.ts',
  'config/lazy-packages.ts',
  'functions/compile.ts',
  'functions/source-stamps.ts',
  'postgres/cluster/embedded.ts',
  'postgres/migrate/project-sql.ts',
  'storage/backend/s3.ts',
  'tracing/opentelemetry.ts',
]

test('no other file of the server imports a package late', () => {
  const files = readdirSync(packageFile('server'), { recursive: true, encoding: 'utf8' })
  const importing = files.filter((name) => {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) return false
    return /(?<!typeof )import\(['"`][^.]/.test(readFileSync(join(packageFile('server'), name), 'utf8'))
  })
  expect(importing.sort()).toEqual(AT_START)
})
