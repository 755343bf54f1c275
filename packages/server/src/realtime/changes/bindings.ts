// The bindings in use and their subscribers. Equal requests share one binding, found by the table that changed, so a
// change is compared once per distinct request and not once per socket.
import type { Principal } from '../authorization.ts'
import type { Binding, ColumnLookup, PrincipalGroup, Subscriber } from './binding.ts'
import type { ChangeListener } from './contract.ts'
import { FilterIndex } from './filter-index.ts'
import type { ParsedBinding } from './parse-binding.ts'

export class Bindings {
  private readonly byKey = new Map<string, Binding>()
  private readonly byTable = new Map<string, FilterIndex>()
  private readonly groups = new Map<string, { group: PrincipalGroup; members: number }>()
  private readonly all = new Set<Subscriber>()
  private nextId = 1

  get subscribers(): ReadonlySet<Subscriber> {
    return this.all
  }

  add(parsed: readonly ParsedBinding[], principal: Principal, listener: ChangeListener): Subscriber {
    const bindings = parsed.map((one) => this.bindingOf(one))
    const [only] = bindings
    const ids = only && bindings.length === 1 ? only.ids : bindings.map(({ id }) => id)
    const subscriber: Subscriber = { listener, bindings, ids, group: this.joinGroup(principal) }
    for (const binding of bindings) binding.subscribers.add(subscriber)
    this.all.add(subscriber)
    return subscriber
  }

  /** From now on the subscriber is this principal. */
  changePrincipal(subscriber: Subscriber, principal: Principal): void {
    if (!this.all.has(subscriber)) return
    const group = this.joinGroup(principal)
    this.leaveGroup(subscriber.group)
    subscriber.group = group
  }

  remove(subscriber: Subscriber): void {
    if (!this.all.delete(subscriber)) return
    this.leaveGroup(subscriber.group)
    for (const binding of subscriber.bindings) {
      const { parsed, subscribers } = binding
      subscribers.delete(subscriber)
      if (subscribers.size > 0 || this.byKey.get(parsed.key) !== binding) continue
      this.byKey.delete(parsed.key)
      const table = tableKey(parsed.schema, parsed.table)
      const index = this.byTable.get(table)
      index?.delete(binding)
      if (index?.size === 0) this.byTable.delete(table)
    }
  }

  /** Whether any binding may match changes of this table. */
  hasAny(schema: string, table: string): boolean {
    return tableKeys(schema, table).some((key) => this.byTable.has(key))
  }

  /** Candidates for a change: all bindings whose filter it meets, and some more. */
  candidates(schema: string, table: string, type: string, lookup: ColumnLookup): Binding[] {
    const found: Binding[] = []
    for (const key of tableKeys(schema, table)) {
      for (const binding of this.byTable.get(key)?.find(lookup) ?? []) {
        if (binding.parsed.event === '*' || binding.parsed.event === type) found.push(binding)
      }
    }
    return found
  }

  private bindingOf(parsed: ParsedBinding): Binding {
    const existing = this.byKey.get(parsed.key)
    if (existing) return existing
    const id = this.nextId++
    const binding: Binding = { id, parsed, subscribers: new Set(), ids: [id] }
    this.byKey.set(parsed.key, binding)
    const table = tableKey(parsed.schema, parsed.table)
    const index = this.byTable.get(table) ?? new FilterIndex()
    this.byTable.set(table, index)
    index.add(binding)
    return binding
  }

  private joinGroup({ role, claims }: Principal): PrincipalGroup {
    const text = JSON.stringify(claims)
    const key = `${role} ${text}`
    const entry = this.groups.get(key) ?? { group: { role, claims: text }, members: 0 }
    entry.members++
    this.groups.set(key, entry)
    return entry.group
  }

  private leaveGroup({ role, claims }: PrincipalGroup): void {
    const key = `${role} ${claims}`
    const entry = this.groups.get(key)
    if (entry && --entry.members === 0) this.groups.delete(key)
  }
}

function tableKey(schema: string, table: string): string {
  return JSON.stringify([schema, table])
}

/** With those of wildcard bindings. */
function tableKeys(schema: string, table: string): string[] {
  return [tableKey(schema, table), tableKey(schema, '*'), tableKey('*', table), tableKey('*', '*')]
}
