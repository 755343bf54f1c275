// PostgreSQL's types in Swagger's words, as PostgREST translates them.

const TYPES: Record<string, string> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
}

/** Undefined for JSON, which can be anything. */
export function swaggerType(type: string): string | undefined {
  if (type.endsWith('[]')) return 'array'
  if (type === 'json' || type === 'jsonb') return undefined
  return TYPES[type.replace(/\(.*\)$/, '')] ?? 'string'
}
