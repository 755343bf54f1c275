// A row change as its subscribers may see it. All who may see the same columns share one object, encoded once.
// Omissions and errors are those of Supabase's Realtime.

import type { Binding } from './binding.ts'
import type { Change, ChangePayload } from './contract.ts'
import { encoderOf } from './json.ts'
import type { Table } from './tables.ts'
import type { ColumnType } from './types.ts'
import type { RowChange, Tuple } from './wal.ts'

const BAD_REQUEST = 'Error 400: Bad Request, no primary key'
const UNAUTHORIZED = 'Error 401: Unauthorized'
const TOO_LARGE = 'Error 413: Payload Too Large'
const POLICY_FAILED = 'Error 500: Internal Server Error, RLS policy evaluation failed'

/** Rows with more characters than this are sent without their large values. */
export const MAX_ROW_CHARACTERS = 1024 * 1024
/** Bytes, as JSON, of the values that a too large row still carries. */
const MAX_VALUE_BYTES_OF_LARGE_ROW = 64

/** A change with its table and types. */
export class RowEvent {
  readonly change: RowChange
  readonly table: Table
  private readonly types: ReadonlyMap<number, ColumnType>
  private readonly keyNames: ReadonlySet<string>
  private readonly views = new Map<string, Change>()
  private readonly viewsByBinding = new Map<Binding, Map<string, Change>>()
  private readonly encoded = new Map<string, string>()

  constructor(change: RowChange, table: Table, types: ReadonlyMap<number, ColumnType>) {
    this.change = change
    this.table = table
    this.types = types
    this.keyNames = new Set(table.key.map(({ name }) => name))
  }

  typeOf(column: string): ColumnType | undefined {
    const found = this.change.relation.columns.find(({ name }) => name === column)
    return found && this.types.get(found.typeOid)
  }

  /** The row that filters apply to: the new one, of a DELETE the old one. */
  get row(): Tuple {
    return this.change.record ?? this.change.old ?? {}
  }

  /** Of the primary key, in the order of table.key; null when the log does not hold all of it. */
  get key(): (string | null)[] | null {
    const key = this.table.key.map(({ name }) => this.row[name] ?? null)
    return key.includes(null) ? null : key
  }

  /** Values that only PostgreSQL can encode as JSON. Pass the results to `setJson`. */
  valuesToEncode(): { type: ColumnType; text: string }[] {
    const found = new Map<string, { type: ColumnType; text: string }>()
    for (const column of this.change.relation.columns) {
      const type = this.types.get(column.typeOid)
      if (!type || encoderOf(type)) continue
      for (const tuple of [this.change.record, this.change.old]) {
        const text = tuple?.[column.name]
        if (typeof text === 'string') found.set(`${type.oid} ${text}`, { type, text })
      }
    }
    return [...found.values()]
  }

  setJson(type: ColumnType, text: string, json: string): void {
    this.encoded.set(`${type.oid} ${text}`, json)
  }

  /**
   * Whether this role may read the table at all. One that may not gets nothing, not even that something has changed;
   * Supabase sends that, and of deleted rows the key.
   */
  isReadableBy(role: string): boolean {
    return this.table.access.get(role)?.reads === true
  }

  /** Why this role cannot see the row, whatever its policies say; null when they decide. */
  private accessError(role: string): string | null {
    if (this.change.type === 'DELETE') return null
    const columns = this.table.access.get(role)?.columns ?? new Set()
    if (this.table.key.length === 0) return BAD_REQUEST
    return this.table.key.every(({ name }) => columns.has(name)) ? null : UNAUTHORIZED
  }

  /** Whether row-level security has to be checked. For a deleted row it cannot be. */
  needsVisibilityCheck(role: string): boolean {
    const { rowSecurity, access } = this.table
    if (!rowSecurity || access.get(role)?.bypass || this.change.type === 'DELETE') return false
    return this.accessError(role) === null
  }

  /** The change as this role sees it through this binding. */
  view(role: string, binding: Binding): Change {
    const byRole = this.viewsByBinding.get(binding) ?? new Map<string, Change>()
    this.viewsByBinding.set(binding, byRole)
    const view = byRole.get(role) ?? this.makeView(role, binding)
    byRole.set(role, view)
    return view
  }

  private makeView(role: string, binding: Binding): Change {
    const error = this.accessError(role)
    if (error) return this.errorView(error)
    const granted = this.table.access.get(role)?.columns
    const { select } = binding.parsed
    const columns = this.change.relation.columns.filter(
      ({ name }) => granted?.has(name) && (!select || select.includes(name) || this.keyNames.has(name)),
    )
    const names = columns.map(({ name }) => name)
    return this.cached(JSON.stringify(names), () => this.json(names))
  }

  /** For those whose policy failed. */
  failedView(): Change {
    return this.errorView(POLICY_FAILED)
  }

  private errorView(error: string): Change {
    const record = this.change.type === 'DELETE' ? '' : ',"record":{}'
    return this.cached(
      error,
      () => `${this.head()},"columns":[]${record},"errors":${JSON.stringify([error])}}`,
    )
  }

  private cached(key: string, json: () => string): Change {
    const cached = this.views.get(key)
    if (cached) return cached
    const view = new View(json())
    this.views.set(key, view)
    return view
  }

  private head(): string {
    const { relation, type, committedAt } = this.change
    const { schema, name: table } = relation
    const head = JSON.stringify({ schema, table, commit_timestamp: committedAt, type })
    return head.slice(0, -1)
  }

  private json(names: string[]): string {
    const { type, record, old, size } = this.change
    const columns = names.map((name) => ({ name, type: this.typeOf(name)?.name ?? '' }))
    const parts = [this.head(), `"columns":${JSON.stringify(columns)}`]
    if (record) parts.push(`"record":${this.object(record, names)}`)
    // Policies cannot be checked for a deleted row: only its key is sent.
    const kept =
      this.table.rowSecurity && type === 'DELETE' ? names.filter((name) => this.keyNames.has(name)) : names
    if (type !== 'INSERT') parts.push(`"old_record":${this.object(old ?? {}, kept)}`)
    parts.push(`"errors":${size > MAX_ROW_CHARACTERS ? JSON.stringify([TOO_LARGE]) : 'null'}}`)
    return parts.join(',')
  }

  private object(tuple: Tuple, names: string[]): string {
    const members: string[] = []
    for (const name of names) {
      const text = tuple[name]
      // Not in the log: an unchanged value that is stored out of line, or no part of the replica identity.
      if (text === undefined) continue
      const json = text === null ? 'null' : this.value(name, text)
      if (this.change.size > MAX_ROW_CHARACTERS && Buffer.byteLength(json) > MAX_VALUE_BYTES_OF_LARGE_ROW)
        continue
      members.push(`${JSON.stringify(name)}:${json}`)
    }
    return `{${members.join(',')}}`
  }

  private value(column: string, text: string): string {
    const type = this.typeOf(column)
    const encode = type && encoderOf(type)
    if (encode) return encode(text)
    return this.encoded.get(`${type?.oid} ${text}`) ?? JSON.stringify(text)
  }
}

class View implements Change {
  readonly json: string
  private parsed: ChangePayload | null = null

  constructor(json: string) {
    this.json = json
  }

  get payload(): ChangePayload {
    this.parsed ??= JSON.parse(this.json) as ChangePayload
    return this.parsed
  }
}
