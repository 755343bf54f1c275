// Errors about names that the schema cache lacks or has more than once (PGRST2xx), with suggestions.
import { RestError } from './errors.ts'
import { closest, closestName } from './hints.ts'

/** `parents` and `children` are the names to suggest from; `children` is null when the parent is unknown. */
export function noRelationship(options: {
  parent: string
  child: string
  hint: string | undefined
  schema: string
  parents: string[]
  children: string[] | null
}): RestError {
  const { parent, child, hint, schema, parents, children } = options
  // A child that is known exactly means that the embedding hint was wrong: nothing to suggest then.
  const suggestion =
    children === null
      ? closestName(parents, parent)
      : children.includes(child)
        ? closest(children, child).find((found) => found.score < 1)?.name
        : closest(children, child)[0]?.name
  const misspelled = children === null ? parent : child
  return new RestError(400, {
    code: 'PGRST200',
    message: `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
    details:
      `Searched for a foreign key relationship between '${parent}' and '${child}` +
      `${hint === undefined ? '' : `' using the hint '${hint}`}' in the schema '${schema}', but no matches were found.`,
    hint: suggestion === undefined ? null : `Perhaps you meant '${suggestion}' instead of '${misspelled}'.`,
  })
}

export type RelationshipSummary = {
  cardinality: string
  embedding: string
  relationship: string
  name: string
}

export function ambiguousRelationship(
  parent: string,
  child: string,
  found: RelationshipSummary[],
): RestError {
  const names = found.map(({ name }) => `'${name}'`).join(', ')
  return new RestError(300, {
    code: 'PGRST201',
    message: `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
    details: found.map(({ cardinality, embedding, relationship }) => ({
      cardinality,
      embedding,
      relationship,
    })),
    hint: `Try changing '${child}' to one of the following: ${names}. Find the desired relationship in the 'details' key.`,
  })
}

/** `raw` is the type of a body passed whole (text, xml, bytea), where the function needs one such parameter. */
export function noFunction(options: {
  schema: string
  name: string
  names: string[]
  raw: string | undefined
  json: boolean
  functions: string[]
  overloads: string[][]
}): RestError {
  const { schema, name, names, raw, json, functions, overloads } = options
  const list = names.join(', ')
  const described = names.length === 0 ? ' without parameters' : undefined
  const searched = raw
    ? ` with a single unnamed ${raw} parameter`
    : (described ?? ` with parameter${names.length > 1 ? 's' : ''} ${list}`) +
      (json ? ' or with a single unnamed json/jsonb parameter' : '')
  return new RestError(404, {
    code: 'PGRST202',
    message:
      `Could not find the function ${schema}.${name}${raw ? '' : (described ?? `(${list})`)} ` +
      'in the schema cache',
    details: `Searched for the function ${schema}.${name}${searched}, but no matches were found in the schema cache.`,
    hint: raw ? null : functionHint(schema, name, names, functions, overloads),
  })
}

function functionHint(
  schema: string,
  name: string,
  names: string[],
  functions: string[],
  overloads: string[][],
): string | null {
  const list = (parameters: string[]) => `(${[...parameters].sort().join(', ')})`
  const found =
    overloads.length === 0
      ? closestName(functions, name, 0.75)
      : closestName(overloads.map(list), list(names))?.replace(/^/, name)
  return found === undefined ? null : `Perhaps you meant to call the function ${schema}.${found}`
}

export const ambiguousFunction = (signatures: string[]) =>
  new RestError(300, {
    code: 'PGRST203',
    message: `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  })

export const noColumn = (table: string, column: string) =>
  new RestError(400, {
    code: 'PGRST204',
    message: `Could not find the '${column}' column of '${table}' in the schema cache`,
  })

export function noTable(schema: string, name: string, tables: string[]): RestError {
  const found = closestName(tables, name, 0.75)
  return new RestError(404, {
    code: 'PGRST205',
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    hint: found === undefined ? null : `Perhaps you meant the table '${schema}.${found}'`,
  })
}
