// A line for each request, when it is wanted, with nothing personal in it.
import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, test } from 'vitest'
import { observing } from './access-log.ts'
import type { ObservedRequest } from './metrics.ts'

const request: ObservedRequest = {
  id: 'an-id',
  service: 'auth',
  method: 'GET',
  route: '/admin/users/:id',
  status: 200,
  seconds: 0.0124,
}

function logged(): { lines: Record<string, unknown>[]; log: pino.Logger } {
  const lines: Record<string, unknown>[] = []
  const destination = new Writable({
    write(text, _encoding, done) {
      lines.push(JSON.parse(String(text)))
      done()
    },
  })
  return { lines, log: pino({ base: undefined, timestamp: false }, destination) }
}

test('a request is a line with its route, and is counted', () => {
  const counted: ObservedRequest[] = []
  const { lines, log } = logged()
  observing({ observe: (each) => counted.push(each) }, log)(request)
  expect(counted).toEqual([request])
  expect(lines).toEqual([
    {
      level: 30,
      request: 'an-id',
      service: 'auth',
      method: 'GET',
      route: '/admin/users/:id',
      status: 200,
      ms: 12,
      msg: 'a request was answered',
    },
  ])
})

test('without a log it is only counted', () => {
  const counted: ObservedRequest[] = []
  observing({ observe: (each) => counted.push(each) }, null)(request)
  expect(counted).toEqual([request])
})
