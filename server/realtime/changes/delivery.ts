// Takes changes in commit order to those who may see them. Batches go one after the other, so every listener hears
// its changes in order; within a batch, readers whose check came back are served while others' is under way.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import type pino from 'pino'
import type { Binding, Bindings, Group, Listener } from './bindings.ts'
import { isItsText } from './compare.ts'
import type { Change } from './contract.ts'
import { write } from './evaluate.ts'
import { RowEvent } from './event.ts'
import { type Match, match } from './matching.ts'
import type { Tables } from './tables.ts'
import type { Types } from './types.ts'
import { type Answer, type Asking, ask } from './visibility.ts'
import type { RowChange } from './wal.ts'

export interface DeliveryOptions {
  bindings: Bindings
  tables: Tables
  types: Types
  /** As the platform's owner, and as authenticator. */
  pools: { owner: pg.Pool; requests: pg.Pool }
  log: pino.Logger
}

export interface Delivery {
  /** Queues a change; one that nobody wants is dropped at once. */
  add(change: RowChange): void
  /** Changes went unheard: whoever listens is told, after what is queued. */
  gap(): void
  stop(): void
}

/** Beyond this the checks are too slow for the writers: what waits is dropped and everybody told. */
const MOST_QUEUED = 20_000
const MOST_CHARACTERS = 64 * 1024 * 1024
const BATCH = 500
/** Changes of a batch times listeners: what is made ready at once. */
const MOST_READY = 20_000
/** Sets of claims in one round trip, and round trips under way at once. */
const CROWD = 64
const LANES = 2

/** One event for one listener. */
interface Item {
  listener: Listener
  ids: readonly number[]
  view: Change
  event: RowEvent
  /** Which row of the asking decides; null when nothing has to. */
  at: { rows: number; key: number } | null
}

type Work = { items: Item[]; asking: Asking; places: Map<RowEvent, { rows: number; key: number }> }

/** Starts idle; changes come through add(). */
export function createDelivery({ bindings, tables, types, pools, log }: DeliveryOptions): Delivery {
  let queue: (RowChange | 'gap')[] = []
  let characters = 0
  let working = false
  let stopped = false

  function add(change: RowChange): void {
    const { schema, name } = change.relation
    if (stopped || !bindings.hasAny(schema, name)) return
    characters += change.size
    if (queue.length >= MOST_QUEUED || characters > MOST_CHARACTERS) {
      log.warn('row changes come faster than their readers can be checked: listeners are told to read again')
      gap()
      return
    }
    queue.push(change)
    wake()
  }

  function gap(): void {
    queue = ['gap']
    characters = 0
    wake()
  }

  function wake(): void {
    if (working) return
    working = true
    // After what has arrived with this one, so that a transaction is one batch.
    queueMicrotask(drain)
  }

  async function drain(): Promise<void> {
    while (queue.length > 0 && !stopped) {
      if (queue[0] === 'gap') {
        queue.shift()
        tellGap()
        continue
      }
      try {
        await process(takeBatch())
        // Sockets are to be heard in between.
        if (queue.length > 0) await nextTurn()
      } catch (error) {
        log.warn({ err: error }, 'row changes could not be checked: listeners are told to read again')
        gap()
      }
    }
    working = false
  }

  function takeBatch(): RowChange[] {
    const size = Math.max(1, Math.min(BATCH, Math.floor(MOST_READY / bindings.listeners.size)))
    const end = queue.slice(0, size).indexOf('gap')
    const batch = queue.splice(0, end < 0 ? size : end) as RowChange[]
    for (const change of batch) characters -= change.size
    return batch
  }

  function tellGap(): void {
    for (const { listener } of [...bindings.listeners]) guard(() => listener.gap())
  }

  async function process(batch: RowChange[]): Promise<void> {
    const candidates: Match[] = []
    const roles = new Map<Binding, Set<string>>()
    for (const change of batch) {
      const found = await candidate(change, roles)
      if (found) candidates.push(found)
    }
    const matches = await match(pools.owner, candidates)
    await writeForeign(matches)
    const works = assemble(matches)
    const open: Work[] = []
    for (const work of works) {
      if (work.asking.rows.length === 0) deliver(work, [])
      else open.push(work)
    }
    if (open.length === 0) return
    const xids = [...new Set(matches.map(({ event }) => event.change.xid))]
    await inLanes(crowds(open), async (crowd) => {
      const answers = await ask(
        pools.requests,
        crowd.map(({ asking }) => asking),
        xids,
      )
      for (const [index, work] of crowd.entries()) deliver(work, answers[index] ?? null)
    })
  }

  async function candidate(change: RowChange, roles: Map<Binding, Set<string>>): Promise<Match | null> {
    const { relation, type } = change
    const known = await types.read(relation.columns.map(({ typeOid }) => typeOid))
    const row = change.record ?? change.old ?? {}
    const wanted = bindings.of(relation.schema, relation.name, type, (column) => {
      const oid = relation.columns.find(({ name }) => name === column)?.typeOid
      const columnType = oid === undefined ? undefined : known.get(oid)
      return { text: row[column], exact: columnType !== undefined && isItsText(columnType) }
    })
    if (wanted.length === 0) return null
    for (const binding of wanted) {
      if (!roles.has(binding))
        roles.set(binding, new Set([...binding.listeners].map(({ group }) => group.role)))
    }
    const readers = wanted.flatMap((binding) => [...(roles.get(binding) ?? [])])
    const table = await tables.read(relation.relationOid, readers)
    if (!table) return null
    return { event: new RowEvent(change, table, known), bindings: wanted }
  }

  async function writeForeign(matches: Match[]): Promise<void> {
    const values = matches.flatMap(({ event }) => event.foreign().map((value) => ({ event, ...value })))
    if (values.length === 0) return
    const written = await write(pools.owner, values)
    for (const [index, { event, type, text }] of values.entries())
      event.take(type, text, written[index] as string)
  }

  function deliver({ items }: Work, answer: Answer): void {
    for (const { listener, ids, view, event, at } of items) {
      if (at && answer && !answer[at.rows]?.[at.key]) continue
      const shown = at && !answer ? event.failedView() : view
      guard(() => listener.listener.event(ids, shown))
    }
  }

  function guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      log.error({ err: error }, 'a listener of row changes failed')
    }
  }

  return { add, gap, stop: () => (stopped = true) }
}

/** What each group of readers is to get, in order, and what has to be asked before. */
function assemble(matches: readonly Match[]): Work[] {
  const works = new Map<Group, Work>()
  for (const { event, bindings } of matches) {
    const met = new Set(bindings)
    for (const binding of bindings) {
      for (const listener of binding.listeners) {
        // Whoever meets it through several bindings is served once, at the first.
        if (listener.bindings.length > 1 && listener.bindings.find((one) => met.has(one)) !== binding)
          continue
        const { group } = listener
        const work = works.get(group) ?? { items: [], asking: { group, rows: [] }, places: new Map() }
        works.set(group, work)
        serve(
          work,
          event,
          listener,
          listener.bindings.length > 1 ? listener.bindings.filter((one) => met.has(one)) : [binding],
        )
      }
    }
  }
  return [...works.values()].sort((a, b) => (a.asking.group.role < b.asking.group.role ? -1 : 1))
}

function serve(work: Work, event: RowEvent, listener: Listener, met: Listener['bindings']): void {
  const { role } = listener.group
  if (!event.concerns(role)) return
  const granted = event.table.access.get(role)?.columns
  const views = new Map<Change, number[] | readonly number[]>()
  for (const binding of met) {
    // A column taken away since may not be asked about through a filter either.
    if (!binding.wanted.conditions.every(({ column }) => granted?.has(column))) continue
    const view = event.view(role, binding)
    const known = views.get(view)
    views.set(view, known ? [...known, binding.id] : binding.alone)
  }
  if (views.size === 0) return
  const at = event.isGuarded(role) ? placeFor(work, event) : null
  for (const [view, ids] of views) work.items.push({ listener, ids, view, event, at })
}

/** Where in the asking this event's row stands; put there when it is new. */
function placeFor({ asking, places }: Work, event: RowEvent): { rows: number; key: number } {
  const known = places.get(event)
  if (known) return known
  let rows = asking.rows.findIndex(({ table }) => table.sql === event.table.sql)
  if (rows < 0) rows = asking.rows.push({ table: event.table, keys: [] }) - 1
  const key = (asking.rows[rows]?.keys.push(event.key ?? event.table.key.map(() => null)) ?? 1) - 1
  const place = { rows, key }
  places.set(event, place)
  return place
}

function crowds(works: Work[]): Work[][] {
  const made: Work[][] = []
  for (let at = 0; at < works.length; at += CROWD) made.push(works.slice(at, at + CROWD))
  return made
}

/** Runs `work` over `items`, some at once. Rejects with the first failure after all have ended. */
async function inLanes<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < items.length) await work(items[next++] as T)
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(LANES, items.length) }, lane))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
