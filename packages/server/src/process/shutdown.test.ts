// In which order parts are stopped, and what happens to those that fail or never end.
import pino from 'pino'
import { expect, test } from 'vitest'
import { createShutdown } from './shutdown.ts'

test('parts stop in reverse order; one that fails or never ends is named, and the others stop', async () => {
  const lines: { part: string; err: { message: string } }[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const { onStop, stop } = createShutdown(log)
  const stopped: string[] = []
  onStop('first', () => stopped.push('first'), Number.POSITIVE_INFINITY)
  onStop('stuck', () => new Promise(() => {}), 20)
  onStop('broken', () => {
    throw new Error('broken')
  })
  onStop('last', async () => stopped.push('last'))
  await stop()
  expect(stopped).toEqual(['last', 'first'])
  expect(lines.map(({ part, err }) => [part, err.message])).toEqual([
    ['broken', 'broken'],
    ['stuck', 'not stopped within 20 ms'],
  ])
  await stop()
  expect(stopped).toEqual(['last', 'first'])
})
