// Deno that is loaded when a function needs it: npm runs for real, from its cache where it has one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { packageFile } from '../../package-root.ts'
import { findDeno } from './binary.ts'
import { DENO_VERSION, fetchDeno } from './fetched.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'deno-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the release is the one that everything is tested with', () => {
  const { devDependencies } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  expect(DENO_VERSION).toBe(devDependencies.deno)
})

test('packages of npm are found in its folder, and run', async () => {
  await fetchDeno(folder)
  const program = findDeno({ path: null, searchPath: '' }, folder) as string
  expect(program.startsWith(folder)).toBe(true)
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toContain(`deno ${DENO_VERSION}`)
}, 120_000)
