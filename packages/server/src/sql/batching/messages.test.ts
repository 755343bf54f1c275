// Messages, however the network cuts them, come out whole and in order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageReader, readError, readRow } from './messages.ts'

const message = fc.record({
  type: fc.integer({ min: 1, max: 255 }),
  body: fc.uint8Array({ maxLength: 400 }),
})

test('messages come out as they went in, wherever the chunks end', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 300 })), (messages, cuts) => {
      const bytes = Buffer.concat(
        messages.map(({ type, body }) => {
          const head = Buffer.alloc(5)
          head[0] = type
          head.writeInt32BE(body.length + 4, 1)
          return Buffer.concat([head, body])
        }),
      )
      const seen: typeof messages = []
      const reader = new MessageReader((type, source, from, to) => {
        seen.push({ type, body: Uint8Array.from(source.subarray(from, to)) })
      })
      let at = 0
      for (let chunk = 0; at < bytes.length; chunk++) {
        const size = cuts[chunk % Math.max(cuts.length, 1)] ?? 7
        reader.push(bytes.subarray(at, at + size))
        at += size
      }
      expect(seen).toEqual(messages)
    }),
  )
})

test('columns: text, bytes beyond ASCII, empty, null, and long ones', () => {
  const long = 'ä'.repeat(60_000)
  const values = ['1', 'é', '', null, long]
  const parts = values.map((value) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value))
    return Buffer.concat([length, Buffer.from(value ?? '')])
  })
  const row = readRow(Buffer.concat([Buffer.from([0, values.length]), ...parts]), 0)
  const text = row.map((column) => (typeof column === 'string' ? Buffer.from(column, 'latin1') : column))
  expect(text.map((column) => column?.toString('utf8') ?? null)).toEqual(values)
  expect([typeof row[0], Buffer.isBuffer(row[4])]).toEqual(['string', true])
})

test('an error has its fields under the names that pg gives them', () => {
  const fields = Buffer.from('SERROR\0C42501\0Mnot allowed\0Hask Ada\0\0')
  const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4])
  const error = readError(Buffer.concat([head, fields]), 5, 5 + fields.length)
  expect(error).toMatchObject({
    message: 'not allowed',
    code: '42501',
    severity: 'ERROR',
    hint: 'ask Ada',
  })
})
