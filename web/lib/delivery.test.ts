// The outcome of a write: sent, refused, or unknown.
import { expect, test } from 'vitest'
import { type Answer, outcomeOf } from './delivery.ts'

const refused = (status: number, code: string): Answer => ({
  error: {
    message: 'This can be done 30 times an hour. Please try again in 12 min.',
    details: '',
    hint: '',
    code,
  },
  status,
})
const found = (rows: unknown[]) => async () => ({ error: null, status: 200, data: rows })

test('a limit on what a person does refuses; a server that is busy may take it later', async () => {
  expect(await outcomeOf(refused(429, 'PT429'), found([]))).toMatchObject({ code: 'PT429' })
  expect(await outcomeOf(refused(429, '53400'), found([]))).toBe('unreachable')
  // An earlier attempt succeeded, but its answer was lost.
  expect(await outcomeOf(refused(429, 'PT429'), found([{ id: 1 }]))).toBe('sent')
})
