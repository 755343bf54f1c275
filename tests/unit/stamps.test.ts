// Whether a start builds anew: only what the sources say decides, and files that look untouched are not read.
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inputsOf, isBuilt, OUT, removeStamp, writeStamp } from '../../scripts/stamps.mjs'

function checkout(): string {
  const root = mkdtempSync(join(tmpdir(), 'checkout-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['plugins', OUT]) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'plugins/program.ts'), 'serve(1)')
  return root
}

function build(root: string): void {
  const { hash, looks } = inputsOf('server', root)
  writeStamp('server', { hash: hash(), looks }, root)
}

test('a build is valid until a source changes, is added or is removed', () => {
  const root = checkout()
  expect(isBuilt('server', root)).toBe(false)
  build(root)
  expect(isBuilt('server', root)).toBe(true)
  writeFileSync(join(root, 'plugins/program.ts'), 'serve(2)')
  expect(isBuilt('server', root)).toBe(false)
  writeFileSync(join(root, 'plugins/program.ts'), 'serve(1)')
  expect(isBuilt('server', root)).toBe(true)
  writeFileSync(join(root, 'plugins/index.ts'), '')
  expect(isBuilt('server', root)).toBe(false)
  build(root)
  removeStamp('server', root)
  expect(isBuilt('server', root)).toBe(false)
})

test('a stamp that was cut off counts for nothing', () => {
  const root = checkout()
  build(root)
  writeFileSync(join(root, OUT, 'server.stamp'), '{"hash":"')
  expect(isBuilt('server', root)).toBe(false)
})

test('another moment of writing and the same words are no reason to build', () => {
  const root = checkout()
  build(root)
  utimesSync(join(root, 'plugins/program.ts'), new Date(0), new Date(0))
  expect(isBuilt('server', root)).toBe(true)
})

test('files that look as they did are not read, once they have been left alone', () => {
  const root = checkout()
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  clock.mockReturnValue(Date.now() + 60_000)
  const { looks } = inputsOf('server', root)
  writeStamp('server', { hash: 'of other words', looks }, root)
  expect(isBuilt('server', root)).toBe(true)
  writeFileSync(join(root, 'plugins/program.ts'), 'serve(22)')
  expect(isBuilt('server', root)).toBe(false)
})

test('how files look is not trusted while one of them was written a moment ago', () => {
  const root = checkout()
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  clock.mockReturnValue(statSync(join(root, 'plugins/program.ts')).ctimeMs + 10)
  expect(inputsOf('server', root).looks).toBeNull()
})
