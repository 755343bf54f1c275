// Packages that are loaded late are loaded by lazy-packages.ts alone: another import() would need node_modules at its time.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile } from '../src/package-root.ts'

/** Files whose import() runs during a start, or only during one. */
const AT_START = [
  'backup/s3-repository.ts',
  'config/lazy-packages.ts',
  'functions/compile.ts',
  'functions/source-stamps.ts',
  'inbox/smtp.ts',
  'observability/tracing/opentelemetry.ts',
  'postgres/cluster/embedded.ts',
  'postgres/migrate/project-sql.ts',
  'storage/backend/s3.ts',
]

test('no other file of the server imports a package late', () => {
  const files = readdirSync(packageFile('src'), { recursive: true, encoding: 'utf8' })
  const importing = files.filter((name) => {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) return false
    return /(?<!typeof )import\(['"`][^.]/.test(readFileSync(join(packageFile('src'), name), 'utf8'))
  })
  expect(importing.sort()).toEqual(AT_START)
})
