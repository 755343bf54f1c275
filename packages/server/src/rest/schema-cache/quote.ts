// Identifiers as SQL writes them. Only names go through here; values are parameters.
import type { QualifiedName } from './types.ts'

/** A name in double quotes. PostgreSQL's protocol ends texts at NUL, so a name ends there, too. */
export function quoteName(name: string): string {
  const end = name.indexOf('\0')
  const known = end < 0 ? name : name.slice(0, end)
  return `"${known.includes('"') ? known.replaceAll('"', '""') : known}"`
}

/** `"schema"."name"`. */
export function quoteQualified({ schema, name }: QualifiedName): string {
  return `${quoteName(schema)}.${quoteName(name)}`
}

/** A text from the catalogue as an SQL literal. */
export function literal(text: string): string {
  return `e'${text.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`
}
