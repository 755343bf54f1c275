// The outbox: what waits is sent in its order and once, a refusal keeps what was typed, another account has nothing of it.
import { afterEach, expect, test, vi } from 'vitest'
import { createOutbox } from './outbox.ts'
import type { Entry } from './outboxEntries.ts'
import type { OutboxAccount } from './outboxSending.ts'

type Outcome = Awaited<ReturnType<OutboxAccount['senders']['message']>>

let outbox = createOutbox()
let close = () => {}
afterEach(() => {
  close()
  outbox = createOutbox()
})

/** A browser's storage, which outlasts its pages. */
function browser() {
  const kept = new Map<string, Entry[]>()
  const sent: string[] = []
  /** `held` holds up what is read and kept, in order; `asked` counts what was to be kept. */
  const store = { asked: 0, held: undefined as Promise<unknown> | undefined }
  const state = { online: true, answer: (_id: string): Outcome | Promise<Outcome> => 'sent' }
  const send = async ({ id }: { id: string }) => {
    sent.push(id)
    return state.answer(id)
  }
  const open = (userId: string) =>
    outbox.start({
      userId,
      senders: { message: send, task: send, application: send },
      isOnline: () => state.online,
      onSent: () => {},
      storage: {
        read: async (whose) => {
          if (store.held) await store.held
          return structuredClone(kept.get(whose) ?? [])
        },
        change: async (whose, edit) => {
          store.asked++
          if (store.held) await store.held
          kept.set(whose, structuredClone(edit(kept.get(whose) ?? [])))
        },
        onChange: () => () => {},
        alone: (_whose, work) => work(),
      },
    })
  return { kept, sent, state, store, open }
}

/** An answer that comes when the test says so. */
function later() {
  let resolve: (outcome: Outcome) => void = () => {}
  const promise = new Promise<Outcome>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const task = (id: string, title = id): Entry => ({
  kind: 'task',
  id,
  content: { title, form: { title }, giverId: 'grace', asked: null },
})
const application = (id: string): Entry => ({
  kind: 'application',
  id,
  content: { taskId: `of-${id}`, title: id, taskerId: 'theo', amount: 100 as never, message: 'Hello' },
})
const ids = () => outbox.shown.get().map(({ id }) => id)

test('what was written without a network is sent in its order once there is one, also by the next page', async () => {
  const { sent, state, open, kept } = browser()
  state.online = false
  const leave = open('grace')
  for (const entry of [task('one'), application('two'), task('three')]) outbox.add(entry)
  outbox.remove('two')
  outbox.add({ ...task('one'), content: { ...task('one').content, title: 'Changed' } } as Entry)
  await expect.poll(() => outbox.shown.get().map(({ state }) => state)).toEqual(['unsent', 'unsent'])
  expect(ids()).toEqual(['one', 'three'])
  leave()
  expect(ids()).toEqual([])

  close = open('grace')
  await expect.poll(ids).toEqual(['one', 'three'])
  expect(outbox.shown.get()[0]?.content).toMatchObject({ title: 'Changed' })
  expect(sent).toEqual([])
  state.online = true
  outbox.sendNow()
  await expect.poll(ids).toEqual([])
  expect(sent).toEqual(['one', 'three'])
  await expect.poll(() => kept.get('grace')).toEqual([])
})

test('what is written while the page still begins is sent, too', async () => {
  const { sent, open } = browser()
  outbox.add(task('early'))
  close = open('grace')
  await expect.poll(ids).toEqual([])
  expect(sent).toEqual(['early'])
})

test('it says that something waits only once that is kept, also when the page still begins', async () => {
  const { state, open, kept, store } = browser()
  state.online = false
  const announced: string[] = []
  void outbox.add(task('early')).then(() => announced.push('early'))
  const written = later()
  store.held = written.promise
  close = open('grace')
  void outbox.add(application('next')).then(() => announced.push('next'))
  await vi.waitFor(() => expect(store.asked).toBe(2))
  expect([ids(), announced]).toEqual([[], []])
  written.resolve('sent')
  await expect.poll(() => announced.toSorted()).toEqual(['early', 'next'])
  expect(ids()).toEqual(['early', 'next'])
  expect(kept.get('grace')).toHaveLength(2)
})

test('one whose answer was lost is sent again under its id, before what came after it', async () => {
  const { sent, state, open } = browser()
  let lost = true
  state.answer = () => (lost ? 'unreachable' : 'sent')
  close = open('grace')
  outbox.add(task('one'))
  outbox.add(task('two'))
  await expect.poll(() => outbox.shown.get()[0]?.state).toBe('unsent')
  expect(outbox.shown.get().map(({ mayHaveArrived }) => Boolean(mayHaveArrived))).toEqual([true, false])
  lost = false
  outbox.sendNow()
  await expect.poll(ids).toEqual([])
  expect(sent).toEqual(['one', 'one', 'two'])
})

test('while one is on its way nothing is sent twice', async () => {
  const { sent, state, open } = browser()
  const answered = later()
  state.answer = () => answered.promise
  close = open('grace')
  outbox.add(task('one'))
  await expect.poll(() => sent).toEqual(['one'])
  outbox.sendNow()
  outbox.sendNow('one')
  answered.resolve('sent')
  await expect.poll(ids).toEqual([])
  expect(sent).toEqual(['one'])
})

test('a refusal says why, keeps what was typed, holds nothing up, and is tried again only when asked to', async () => {
  const { sent, state, open } = browser()
  state.answer = (id) => (id === 'taken' ? new Error('This task is no longer open') : 'sent')
  close = open('theo')
  outbox.add(application('taken'))
  outbox.add(application('free'))
  await expect.poll(ids).toEqual(['taken'])
  await vi.waitFor(() => expect(outbox.shown.get()[0]?.refusal).toBe('This task is no longer open'))
  expect(outbox.shown.get()[0]).toMatchObject({ state: 'unsent', content: { message: 'Hello' } })
  expect(outbox.shown.get()[0]?.mayHaveArrived).toBeUndefined()
  outbox.sendNow()
  outbox.add(application('next'))
  await expect.poll(() => sent).toEqual(['taken', 'free', 'next'])
  state.answer = () => 'sent'
  outbox.sendNow('taken')
  await expect.poll(ids).toEqual([])
})

test('another account neither sees nor sends it, also when the first leaves while one is on its way', async () => {
  const { sent, state, open } = browser()
  const answered = later()
  state.answer = () => answered.promise
  const leave = open('grace')
  outbox.add(task('hers'))
  outbox.add(task('hers too'))
  await expect.poll(() => sent).toEqual(['hers'])
  leave()
  close = open('sam')
  answered.resolve('sent')
  outbox.add(task('his'))
  await expect.poll(() => sent).toContain('his')
  await expect.poll(ids).toEqual([])
  expect(sent).toEqual(['hers', 'his'])
})

test('an entry that was still being kept when its account left is shown once the account is back', async () => {
  const { state, store, kept, open } = browser()
  state.online = false
  const leave = open('grace')
  store.held = new Promise(() => {})
  void outbox.add(task('slow'))
  leave()
  store.held = undefined
  kept.set('grace', [task('slow')])
  close = open('grace')
  await expect.poll(ids).toEqual(['slow'])
})
