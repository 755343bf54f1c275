// Chooses the function that a call means among overloads, by the names of its arguments.
// Reference: PostgREST 14, "Functions as RPC", "Overloaded functions", "Single unnamed parameter".

import { ambiguousFunction, noFunction } from '../errors/schema-errors.ts'
import type { MediaType } from '../request/media.ts'
import { type Catalogue, keyOf, type QualifiedName, type Routine } from '../schema-cache/types.ts'

const RAW_TYPES: Partial<Record<MediaType['kind'], string>> = { text: 'text', xml: 'xml', octets: 'bytea' }

export type Call = {
  name: QualifiedName
  /** Names of the arguments given. */
  arguments: readonly string[]
  contentType: MediaType
  /** Called by POST, where the body may be the one argument. */
  isPost: boolean
}

/** Throws PGRST202 when none fits and PGRST203 when several do. */
export function findFunction(catalogue: Catalogue, call: Call): Routine {
  const overloads = catalogue.routines.get(keyOf(call.name)) ?? []
  const raw = call.isPost ? RAW_TYPES[call.contentType.kind] : undefined
  const given = new Set(call.arguments)
  const named = overloads.filter((routine) => takesNames(routine, given, raw !== undefined))
  const fitting = named.length > 0 ? named : overloads.filter((routine) => takesBody(routine, call, raw))
  const [first] = fitting
  if (fitting.length === 1 && first) return first
  if (fitting.length > 1) throw ambiguousFunction(fitting.map(signature))
  const { schema, name } = call.name
  throw noFunction({
    schema,
    name,
    names: [...given].sort(),
    raw,
    json: call.isPost && call.contentType.kind === 'json',
    functions: [...catalogue.routines.values()].flatMap(([routine]) =>
      routine?.schema === schema ? [routine.name] : [],
    ),
    overloads: overloads.map((routine) => routine.parameters.map((parameter) => parameter.name)),
  })
}

function takesNames({ parameters }: Routine, given: ReadonlySet<string>, rawBody: boolean): boolean {
  if (parameters.length === 0) return given.size === 0 && !rawBody
  const known = new Set(parameters.map(({ name }) => name))
  return (
    parameters.every(({ name, required }) => !required || given.has(name)) &&
    [...given].every((name) => known.has(name))
  )
}

/** Whether the body can be the single unnamed parameter. */
function takesBody({ parameters }: Routine, call: Call, raw: string | undefined): boolean {
  const [only] = parameters
  if (!call.isPost || parameters.length !== 1 || !only || only.name !== '') return false
  if (call.contentType.kind === 'json') return only.type === 'json' || only.type === 'jsonb'
  return only.type === raw
}

function signature({ schema, name, parameters }: Routine): string {
  return `${schema}.${name}(${parameters.map((parameter) => `${parameter.name} => ${parameter.type}`).join(', ')})`
}
