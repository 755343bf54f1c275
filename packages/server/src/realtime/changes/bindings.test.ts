// Bindings are shared while somebody listens, found by the value they want, and forgotten after.
import { expect, test } from 'vitest'
import { Bindings } from './bindings.ts'
import { parseBinding } from './parse-binding.ts'

const listener = { onChange: () => {}, onResync: () => {} }
const parsed = (filter?: string, table = 'tasks') =>
  parseBinding({ event: '*', schema: 'public', table, ...(filter ? { filter } : {}) })
const anon = { role: 'anon', claims: { role: 'anon' } }
const row =
  (text: string, exact = true) =>
  () => ({ text, exact })

test('equal requests of equal readers share a binding and a group', () => {
  const bindings = new Bindings()
  const one = bindings.add([parsed('id=eq.1')], anon, listener)
  const two = bindings.add(
    [parsed('id=eq.1'), parsed()],
    { role: 'anon', claims: { role: 'anon' } },
    listener,
  )
  expect(two.ids[0]).toBe(one.ids[0])
  expect(two.ids[1]).not.toBe(one.ids[0])
  expect(two.group).toBe(one.group)
  bindings.changePrincipal(two, { role: 'anon', claims: { role: 'anon', sub: 'grace' } })
  expect(two.group).not.toBe(one.group)
})

test('a change finds those who filter for its value, and where its text says too little, all who filter', () => {
  const bindings = new Bindings()
  for (let id = 0; id < 100; id++) bindings.add([parsed(`id=eq.${id}`)], anon, listener)
  bindings.add([parsed('id=gt.5')], anon, listener)
  const found = (lookup: ReturnType<typeof row>) =>
    bindings.candidates('public', 'tasks', 'INSERT', lookup).length
  expect(found(row('7'))).toBe(2)
  expect(found(row('700'))).toBe(1)
  expect(found(row('7', false))).toBe(101)
  expect(bindings.candidates('public', 'other', 'INSERT', row('7'))).toEqual([])
})

test('nothing is kept of subscribers that have left', () => {
  const bindings = new Bindings()
  const all = ['id=eq.1', 'id=eq.2', 'name=like.a%', undefined].map((filter) =>
    bindings.add([parsed(filter), parsed(filter, 'other')], anon, listener),
  )
  for (const one of all) bindings.remove(one)
  for (const one of all) bindings.remove(one)
  const kept = JSON.stringify(bindings, (_, value) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  )
  expect(JSON.parse(kept)).toMatchObject({ byKey: [], byTable: [], groups: [], all: [] })
  expect(bindings.hasAny('public', 'tasks')).toBe(false)
})
