// The syntax tree of a template.
import type { Value } from './values.ts'

export type Operand =
  | { type: 'dot' }
  | { type: 'literal'; value: Value }
  /** `.A.B` */
  | { type: 'field'; fields: string[] }
  /** `$x.A.B` */
  | { type: 'variable'; name: string; fields: string[] }
  /** `(pipeline).A.B` */
  | { type: 'parentheses'; pipeline: Pipeline; fields: string[] }
  | { type: 'function'; name: string }

/** A first operand with its arguments. */
export type Command = { operands: [Operand, ...Operand[]]; line: number }

export type Pipeline = {
  /** Variables that get the result: one, or in a range two. */
  variables: string[]
  /** `=` sets variables that exist; `:=` declares them. */
  isAssignment: boolean
  commands: [Command, ...Command[]]
  line: number
}

/** The functions `html` and `urlquery` at the end of a pipeline: in HTML they take part in the escaping. */
export type Escaper = 'html' | 'urlquery'

export type Node =
  | { type: 'text'; text: string }
  | { type: 'action'; pipeline: Pipeline; line: number; escaped: { by: Escaper; pipeline: Pipeline } | null }
  | { type: 'if' | 'with' | 'range'; pipeline: Pipeline; body: Node[]; otherwise: Node[]; line: number }
  | { type: 'template'; name: string; pipeline: Pipeline | null; line: number }
  | { type: 'break' | 'continue'; line: number }

export type Tree = { nodes: Node[]; defined: Map<string, Node[]> }
