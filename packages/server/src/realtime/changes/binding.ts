// The types of bindings, of those who subscribed to them, and of a row's lookup.
import type { ChangeListener } from './contract.ts'
import type { ParsedBinding } from './parse-binding.ts'

/** Equal principals: row-level security gives them the same rows. */
export interface PrincipalGroup {
  role: string
  /** JSON of the claims. */
  claims: string
}

/** One subscription of one channel. */
export interface Subscriber {
  readonly listener: ChangeListener
  readonly bindings: readonly Binding[]
  /** Of each binding, in the order of the request. */
  readonly ids: readonly number[]
  group: PrincipalGroup
}

/** Equal requests share one. */
export interface Binding {
  readonly id: number
  readonly parsed: ParsedBinding
  readonly subscribers: Set<Subscriber>
  /** [id], shared by all who have only this binding. */
  readonly ids: readonly number[]
}

/** Looks up a column of the changed row: its text, and whether equal values of it have equal texts. */
export type ColumnLookup = (column: string) => { text: string | null | undefined; exact: boolean }
