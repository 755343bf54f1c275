// Bindings are shared while somebody listens, found by the value they want, and forgotten after.
import { expect, test } from 'vitest'
import { Bindings } from './bindings.ts'
import { readRequest } from './parse-binding.ts'

const listener = { event: () => {}, gap: () => {} }
const wanted = (filter?: string, table = 'tasks') =>
  readRequest({ event: '*', schema: 'public', table, ...(filter ? { filter } : {}) })
const anon = { role: 'anon', claims: { role: 'anon' } }
const row =
  (text: string, exact = true) =>
  () => ({ text, exact })

test('equal requests of equal readers share a binding and a group', () => {
  const bindings = new Bindings()
  const one = bindings.add([wanted('id=eq.1')], anon, listener)
  const two = bindings.add(
    [wanted('id=eq.1'), wanted()],
    { role: 'anon', claims: { role: 'anon' } },
    listener,
  )
  expect(two.ids[0]).toBe(one.ids[0])
  expect(two.ids[1]).not.toBe(one.ids[0])
  expect(two.group).toBe(one.group)
  bindings.regroup(two, { role: 'anon', claims: { role: 'anon', sub: 'grace' } })
  expect(two.group).not.toBe(one.group)
})

test('a change finds those who want its value, and where texts say too little, everybody who wants any', () => {
  const bindings = new Bindings()
  for (let id = 0; id < 100; id++) bindings.add([wanted(`id=eq.${id}`)], anon, listener)
  bindings.add([wanted('id=gt.5')], anon, listener)
  const found = (look: ReturnType<typeof row>) => bindings.of('public', 'tasks', 'INSERT', look).length
  expect(found(row('7'))).toBe(2)
  expect(found(row('700'))).toBe(1)
  expect(found(row('7', false))).toBe(101)
  expect(bindings.of('public', 'other', 'INSERT', row('7'))).toEqual([])
})

test('nothing is kept of who has left', () => {
  const bindings = new Bindings()
  const all = ['id=eq.1', 'id=eq.2', 'name=like.a%', undefined].map((filter) =>
    bindings.add([wanted(filter), wanted(filter, 'other')], anon, listener),
  )
  for (const one of all) bindings.remove(one)
  for (const one of all) bindings.remove(one)
  const kept = JSON.stringify(bindings, (_, value) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  )
  expect(JSON.parse(kept)).toMatchObject({ byKey: [], byTable: [], groups: [], all: [] })
  expect(bindings.hasAny('public', 'tasks')).toBe(false)
})
