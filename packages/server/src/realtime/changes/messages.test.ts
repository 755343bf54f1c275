// Messages that the database sent while nobody listened: read later when possible; if there are too many, listeners
// learn that some are missing.
import type pg from 'pg'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createMessages } from './messages.ts'

const log = pino({ level: 'silent' })
const row = (id: number) => ({ id: `${id}`, topic: 'room', event: 'x', private: false, payload: '{}' })

/** Answers what it is given, one answer a query. */
function answering(answers: (object[] | Error)[]): pg.Pool {
  const query = async () => {
    const answer = answers.shift() ?? []
    if (answer instanceof Error) throw answer
    return { rows: answer }
  }
  return { query } as unknown as pg.Pool
}

test('are read again until they were read', async () => {
  const messages = createMessages(answering([new Error('canceling statement'), [row(2), row(1)]]), log)
  const received: string[] = []
  messages.subscribe(({ id }) => received.push(id))
  await messages.catchUp()
  expect(received).toEqual(['1', '2'])
  messages.stop()
})

test('are read once more when the stream was lost while they were read', async () => {
  const answers = [[row(1)], [row(2), row(1)]]
  const messages = createMessages(answering(answers), log)
  const received: string[] = []
  messages.subscribe(({ id }) => received.push(id))
  const first = messages.catchUp()
  messages.onStreamLost()
  await first
  await messages.catchUp()
  expect(received).toEqual(['1', '2'])
  messages.stop()
})

test('count as missed where there are more than are read', async () => {
  const messages = createMessages(answering([Array.from({ length: 10_000 }, (_, n) => row(n))]), log)
  let missed = 0
  messages.subscribe(
    () => {},
    () => missed++,
  )
  await messages.catchUp()
  expect(missed).toBe(1)
  messages.stop()
})
