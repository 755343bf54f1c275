// Who listens to what. Equal requests share one binding, found by the table that changed, so a change is compared
// once per distinct request and not once per socket.
import type { ChangeListener, Reader } from './contract.ts'
import { Shelf } from './filter-index.ts'
import type { Wanted } from './parse-binding.ts'

/** Equal readers: row-level security answers them alike. */
export interface Group {
  role: string
  /** JSON of the claims. */
  claims: string
}

/** One subscription of one socket. */
export interface Listener {
  readonly listener: ChangeListener
  readonly bindings: readonly Binding[]
  /** Of each binding, in the order of the request. */
  readonly ids: readonly number[]
  group: Group
}

export interface Binding {
  readonly id: number
  readonly wanted: Wanted
  readonly listeners: Set<Listener>
  /** [id], shared by all who have only this binding. */
  readonly alone: readonly number[]
}

/** What is known of a changed row: the text of a column, and whether equal values of it have equal texts. */
export type Look = (column: string) => { text: string | null | undefined; exact: boolean }

/** The bindings in use. */
export class Bindings {
  private readonly byKey = new Map<string, Binding>()
  private readonly byTable = new Map<string, Shelf>()
  private readonly groups = new Map<string, { group: Group; members: number }>()
  private readonly all = new Set<Listener>()
  private next = 1

  get listeners(): ReadonlySet<Listener> {
    return this.all
  }

  add(wanted: readonly Wanted[], reader: Reader, listener: ChangeListener): Listener {
    const bindings = wanted.map((one) => this.bindingOf(one))
    const [only] = bindings
    const ids = only && bindings.length === 1 ? only.alone : bindings.map(({ id }) => id)
    const entry: Listener = { listener, bindings, ids, group: this.join(reader) }
    for (const binding of bindings) binding.listeners.add(entry)
    this.all.add(entry)
    return entry
  }

  /** From now on the listener is this reader. */
  regroup(entry: Listener, reader: Reader): void {
    if (!this.all.has(entry)) return
    const group = this.join(reader)
    this.leave(entry.group)
    entry.group = group
  }

  remove(entry: Listener): void {
    if (!this.all.delete(entry)) return
    this.leave(entry.group)
    for (const binding of entry.bindings) {
      binding.listeners.delete(entry)
      if (binding.listeners.size > 0 || this.byKey.get(binding.wanted.key) !== binding) continue
      this.byKey.delete(binding.wanted.key)
      const place = placeOf(binding.wanted.schema, binding.wanted.table)
      const shelf = this.byTable.get(place)
      shelf?.delete(binding)
      if (shelf?.size === 0) this.byTable.delete(place)
    }
  }

  /** Whether anybody may want changes of this table. */
  hasAny(schema: string, table: string): boolean {
    return placesOf(schema, table).some((place) => this.byTable.has(place))
  }

  /** Bindings that may want a change: all whose filter it meets, and some more. */
  of(schema: string, table: string, type: string, look: Look): Binding[] {
    const found: Binding[] = []
    for (const place of placesOf(schema, table)) {
      for (const binding of this.byTable.get(place)?.find(look) ?? []) {
        if (binding.wanted.event === '*' || binding.wanted.event === type) found.push(binding)
      }
    }
    return found
  }

  private bindingOf(wanted: Wanted): Binding {
    const known = this.byKey.get(wanted.key)
    if (known) return known
    const id = this.next++
    const binding: Binding = { id, wanted, listeners: new Set(), alone: [id] }
    this.byKey.set(wanted.key, binding)
    const place = placeOf(wanted.schema, wanted.table)
    const shelf = this.byTable.get(place) ?? new Shelf()
    this.byTable.set(place, shelf)
    shelf.add(binding)
    return binding
  }

  private join({ role, claims }: Reader): Group {
    const text = JSON.stringify(claims)
    const key = `${role} ${text}`
    const known = this.groups.get(key) ?? { group: { role, claims: text }, members: 0 }
    known.members++
    this.groups.set(key, known)
    return known.group
  }

  private leave({ role, claims }: Group): void {
    const key = `${role} ${claims}`
    const known = this.groups.get(key)
    if (known && --known.members === 0) this.groups.delete(key)
  }
}

function placeOf(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}

function placesOf(schema: string, table: string): string[] {
  return [placeOf(schema, table), placeOf(schema, '*'), placeOf('*', table), placeOf('*', '*')]
}
