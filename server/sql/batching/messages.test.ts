// Messages, however the network cuts them, come out whole and in order; what is written is what the protocol says.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Incoming, Outgoing, readError, readRow } from './messages.ts'

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
      const incoming = new Incoming((type, source, from, to) => {
        seen.push({ type, body: Uint8Array.from(source.subarray(from, to)) })
        return false
      })
      // One buffer for every read, as a lane has it: nothing may be kept in it.
      const read = Buffer.alloc(300)
      let at = 0
      for (let turn = 0; at < bytes.length; turn++) {
        const size = bytes.copy(read, 0, at, at + (cuts[turn % Math.max(cuts.length, 1)] ?? 7))
        incoming.push(read.subarray(0, size))
        read.fill(0xee)
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
  const error = readError(fields, 0, fields.length)
  expect(error).toMatchObject({
    message: 'not allowed',
    code: '42501',
    severity: 'ERROR',
    hint: 'ask Ada',
  })
})

test('what is written: lengths, nulls, and texts of more bytes than characters', () => {
  const outgoing = new Outgoing()
  outgoing.bind('s1', ['é', null, ''])
  outgoing.execute()
  outgoing.sync()
  const bind = '\0s1\0' + '\0\0' + '\0\x03' + '\0\0\0\x02\xc3\xa9' + '\xff\xff\xff\xff' + '\0\0\0\0' + '\0\0'
  expect(outgoing.take().toString('latin1')).toBe(
    `B\0\0\0${String.fromCharCode(bind.length + 4)}${bind}E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04`,
  )
  expect(outgoing.take().length).toBe(0)
  outgoing.parse('', 'x'.repeat(1_000_000))
  expect(outgoing.take().length).toBe(1 + 4 + 1 + 1_000_001 + 2)
})
