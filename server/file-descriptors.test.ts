// How many open files the process's table has places for, as Linux tells it.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { makeRoomForFiles } from './file-descriptors.ts'

const isLinux = process.platform === 'linux'

function placesForFiles(status = readFileSync('/proc/self/status', 'utf8')): number {
  return Number(/FDSize:\s+(\d+)/.exec(status)?.[1])
}

test.runIf(isLinux)('the table of open files has places for all connections before they come', async () => {
  const before = placesForFiles()
  await makeRoomForFiles(before * 3)
  expect(placesForFiles()).toBeGreaterThanOrEqual(before * 3)
})

test.runIf(isLinux)('where fewer files may be open it has places for those, and nothing fails', async () => {
  const source = readFileSync(new URL('file-descriptors.ts', import.meta.url), 'utf8')
  const script = `${transformSync(source, { loader: 'ts' }).code}
    await makeRoomForFiles(5000)
    console.log(process.getBuiltinModule('node:fs').readFileSync('/proc/self/status', 'utf8'))`
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -n 300 && exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    script,
  ])
  expect(placesForFiles(stdout)).toBeGreaterThanOrEqual(256)
  expect(placesForFiles(stdout)).toBeLessThan(5000)
})
