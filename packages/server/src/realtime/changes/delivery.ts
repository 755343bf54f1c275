// Delivers changes in commit order to the subscribers that may see them. Batches go one after the other, so every
// subscriber gets its changes in order; within a batch, those whose visibility is known are served while others' is read.
import { setImmediate as nextTick } from 'node:timers/promises'
import type pg from 'pg'
import type pino from 'pino'
import type { Binding, PrincipalGroup, Subscriber } from './binding.ts'
import type { Bindings } from './bindings.ts'
import { comparesByText } from './compare.ts'
import type { Change } from './contract.ts'
import { encodeJson } from './evaluate.ts'
import { RowEvent } from './event.ts'
import { type Match, match } from './matching.ts'
import { withMissingValues } from './missing-values.ts'
import type { Tables } from './tables.ts'
import type { Types } from './types.ts'
import { queryVisibility, type Visibility, type VisibilityQuery } from './visibility.ts'
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
  /** Queues a change; one that nobody subscribed to is dropped at once. */
  add(change: RowChange): void
  /** Changes were missed: drops the queue and has all subscribers fetch again. */
  resync(): void
  stop(): void
}

/** Beyond these the checks are too slow for the writers: the queue is dropped and all subscribers resync. */
const MAX_QUEUED = 20_000
const MAX_QUEUED_CHARACTERS = 64 * 1024 * 1024
const MAX_BATCH = 500
/** Changes of a batch times subscribers: what is in memory at once. */
const MAX_BATCH_ITEMS = 20_000
/** Groups in one round trip, and round trips at once. */
const GROUPS_PER_QUERY = 64
const MAX_CONCURRENT_QUERIES = 2

/** The place of an event's row in a visibility query. */
type RowPosition = { rows: number; key: number }

/** One change for one subscriber. */
interface Item {
  subscriber: Subscriber
  ids: readonly number[]
  view: Change
  event: RowEvent
  /** The row that has to be visible; null when none has to. */
  row: RowPosition | null
}

/** The items of one group, in order, and the query that decides on them. */
type GroupBatch = { items: Item[]; query: VisibilityQuery; positions: Map<RowEvent, RowPosition> }

/** Starts idle; changes come through add(). */
export function createDelivery(options: DeliveryOptions): Delivery {
  return new OrderedDelivery(options)
}

/** The queue of changes, which one batch at a time is taken from. */
class OrderedDelivery implements Delivery {
  private queue: (RowChange | 'resync')[] = []
  private queuedCharacters = 0
  private draining = false
  private stopped = false
  private readonly bindings: Bindings
  private readonly tables: Tables
  private readonly types: Types
  private readonly pools: DeliveryOptions['pools']
  private readonly log: pino.Logger

  constructor({ bindings, tables, types, pools, log }: DeliveryOptions) {
    this.bindings = bindings
    this.tables = tables
    this.types = types
    this.pools = pools
    this.log = log
  }

  add(change: RowChange): void {
    const { schema, name } = change.relation
    if (this.stopped || !this.bindings.hasAny(schema, name)) return
    this.queuedCharacters += change.size
    if (this.queue.length >= MAX_QUEUED || this.queuedCharacters > MAX_QUEUED_CHARACTERS) {
      this.log.warn('row changes come faster than their visibility can be checked: subscribers resync')
      this.resync()
      return
    }
    this.queue.push(change)
    this.schedule()
  }

  resync(): void {
    this.queue = ['resync']
    this.queuedCharacters = 0
    this.schedule()
  }

  private schedule(): void {
    if (this.draining) return
    this.draining = true
    // After what has arrived with this one, so that a transaction is one batch.
    queueMicrotask(() => this.drain())
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0 && !this.stopped) {
      if (this.queue[0] === 'resync') {
        this.queue.shift()
        for (const { listener } of [...this.bindings.subscribers]) this.guard(() => listener.onResync())
        continue
      }
      try {
        await this.deliverBatch(this.takeBatch())
        // Sockets are read in between.
        if (this.queue.length > 0) await nextTick()
      } catch (error) {
        this.log.warn(
          { err: error },
          'the visibility of row changes could not be checked: subscribers resync',
        )
        this.resync()
      }
    }
    this.draining = false
  }

  private takeBatch(): RowChange[] {
    const size = Math.max(
      1,
      Math.min(MAX_BATCH, Math.floor(MAX_BATCH_ITEMS / this.bindings.subscribers.size)),
    )
    const end = this.queue.slice(0, size).indexOf('resync')
    const batch = this.queue.splice(0, end < 0 ? size : end) as RowChange[]
    for (const change of batch) this.queuedCharacters -= change.size
    return batch
  }

  private async deliverBatch(changes: RowChange[]): Promise<void> {
    const candidates: Match[] = []
    const roles = new Map<Binding, Set<string>>()
    for (const change of await withMissingValues(
      { tables: this.tables, pool: this.pools.owner, log: this.log },
      changes,
    )) {
      const candidate = await this.findCandidate(change, roles)
      if (candidate) candidates.push(candidate)
    }
    const matches = await match(this.pools.owner, candidates)
    await this.encodeRemotely(matches)
    const toCheck: GroupBatch[] = []
    for (const group of groupItems(matches)) {
      if (group.query.rows.length === 0) this.deliver(group, [])
      else toCheck.push(group)
    }
    if (toCheck.length === 0) return
    const xids = [...new Set(matches.map(({ event }) => event.change.xid))]
    await forEachConcurrently(chunks(toCheck, GROUPS_PER_QUERY), async (chunk) => {
      const queries = chunk.map(({ query }) => query)
      const results = await queryVisibility(this.pools.requests, queries, xids)
      for (const [index, group] of chunk.entries()) this.deliver(group, results[index] ?? null)
    })
  }

  private async findCandidate(change: RowChange, roles: Map<Binding, Set<string>>): Promise<Match | null> {
    const { relation, type } = change
    const columnTypes = await this.types.read(relation.columns.map(({ typeOid }) => typeOid))
    const row = change.record ?? change.old ?? {}
    const found = this.bindings.candidates(relation.schema, relation.name, type, (column) => {
      const oid = relation.columns.find(({ name }) => name === column)?.typeOid
      const columnType = oid === undefined ? undefined : columnTypes.get(oid)
      return { text: row[column], exact: columnType !== undefined && comparesByText(columnType) }
    })
    if (found.length === 0) return null
    for (const binding of found) {
      if (!roles.has(binding))
        roles.set(binding, new Set([...binding.subscribers].map(({ group }) => group.role)))
    }
    const readers = found.flatMap((binding) => [...(roles.get(binding) ?? [])])
    const table = await this.tables.read(relation.relationOid, readers)
    if (!table) return null
    return { event: new RowEvent(change, table, columnTypes), bindings: found }
  }

  private async encodeRemotely(matches: Match[]): Promise<void> {
    const values = matches.flatMap(({ event }) =>
      event.valuesToEncode().map((value) => ({ event, ...value })),
    )
    if (values.length === 0) return
    const encoded = await encodeJson(this.pools.owner, values)
    for (const [index, { event, type, text }] of values.entries())
      event.setJson(type, text, encoded[index] as string)
  }

  private deliver({ items }: GroupBatch, visible: Visibility): void {
    for (const { subscriber, ids, view, event, row } of items) {
      if (row && visible && !visible[row.rows]?.[row.key]) continue
      const shown = row && !visible ? event.failedView() : view
      this.guard(() => subscriber.listener.onChange(ids, shown))
    }
  }

  private guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.log.error({ err: error }, 'a listener of row changes failed')
    }
  }

  stop(): void {
    this.stopped = true
  }
}

/** The items of each group in commit order, groups of the same role together. */
function groupItems(matches: readonly Match[]): GroupBatch[] {
  const groups = new Map<PrincipalGroup, GroupBatch>()
  for (const { event, bindings } of matches) {
    const matched = new Set(bindings)
    for (const binding of bindings) {
      for (const subscriber of binding.subscribers) {
        const several = subscriber.bindings.length > 1
        // A subscriber that several bindings match is served once, at the first.
        if (several && subscriber.bindings.find((one) => matched.has(one)) !== binding) continue
        const { group } = subscriber
        const batch = groups.get(group) ?? { items: [], query: { group, rows: [] }, positions: new Map() }
        groups.set(group, batch)
        const own = several ? subscriber.bindings.filter((one) => matched.has(one)) : [binding]
        addItems(batch, event, subscriber, own)
      }
    }
  }
  return [...groups.values()].sort((a, b) => (a.query.group.role < b.query.group.role ? -1 : 1))
}

function addItems(
  batch: GroupBatch,
  event: RowEvent,
  subscriber: Subscriber,
  matched: readonly Binding[],
): void {
  const { role } = subscriber.group
  if (!event.isReadableBy(role)) return
  const granted = event.table.access.get(role)?.columns
  const views = new Map<Change, readonly number[]>()
  for (const binding of matched) {
    // A column revoked since may not be tested through a filter either.
    if (!binding.parsed.conditions.every(({ column }) => granted?.has(column))) continue
    const view = event.view(role, binding)
    const ids = views.get(view)
    views.set(view, ids ? [...ids, binding.id] : binding.ids)
  }
  if (views.size === 0) return
  const row = event.needsVisibilityCheck(role) ? rowPosition(batch, event) : null
  for (const [view, ids] of views) batch.items.push({ subscriber, ids, view, event, row })
}

/** Adds the event's row to the group's query, once. */
function rowPosition({ query, positions }: GroupBatch, event: RowEvent): RowPosition {
  const existing = positions.get(event)
  if (existing) return existing
  let rows = query.rows.findIndex(({ table }) => table.sql === event.table.sql)
  if (rows < 0) rows = query.rows.push({ table: event.table, keys: [] }) - 1
  const key = (query.rows[rows]?.keys.push(event.key ?? event.table.key.map(() => null)) ?? 1) - 1
  const position = { rows, key }
  positions.set(event, position)
  return position
}

function chunks<T>(items: T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

/** Rejects with the first failure after all have ended. */
async function forEachConcurrently<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values()
  const worker = async () => {
    for (const item of remaining) await work(item)
  }
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_QUERIES }, worker))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
