// Reads PostgreSQL's stored form of a view (pg_rewrite.ev_action, a pg_node_tree) just far enough to say which
// column of which table each column of the view shows. PostgREST finds relationships of views the same way.

export type Origin = {
  /** Number of the view's column. */
  column: number
  /** The shown column: a table or view by oid, and the column's number. */
  table: number
  tableColumn: number
}

/** The origins of a view's columns; computed columns have none and are left out. */
export function viewOrigins(definition: string): Origin[] {
  const origins: Origin[] = []
  const list = definition.indexOf(':targetList (', topQuery(definition))
  if (list < 0) return origins
  let depth = 0
  let entry: Record<string, number> = {}
  let current = ''
  for (const token of tokens(definition, list + ':targetList '.length)) {
    if (token === '(' || token === '{') {
      // `(` opens the list at depth 1, `{` an entry at depth 2; what is deeper belongs to expressions.
      if (++depth === 2) entry = {}
    } else if (token === ')' || token === '}') {
      if (depth-- === 2 && entry.resorigtbl && entry.resorigcol && entry.resno) {
        origins.push({ column: entry.resno, table: entry.resorigtbl, tableColumn: entry.resorigcol })
      }
      if (depth === 0) break
    } else if (depth === 2 && token.startsWith(':')) {
      current = token.slice(1)
      continue
    } else if (depth === 2 && current !== '') {
      entry[current] = Number(token)
    }
    current = ''
  }
  return origins
}

/** Where the outermost query's own fields begin: those at depth 2 of `({QUERY …`. */
function topQuery(definition: string): number {
  let depth = 0
  for (let at = 0; at < definition.length; at++) {
    const character = definition[at]
    if (character === '\\') at++
    else if (character === '(' || character === '{') depth++
    else if (character === ')' || character === '}') depth--
    else if (depth === 2 && definition.startsWith(':targetList ', at)) return at
  }
  return definition.length
}

function* tokens(text: string, from: number): Generator<string> {
  let at = from
  while (at < text.length) {
    const character = text[at] as string
    if (character === ' ' || character === '\n') at++
    else if ('(){}'.includes(character)) {
      at++
      yield character
    } else {
      const start = at
      while (at < text.length && !' \n(){}'.includes(text[at] as string)) at += text[at] === '\\' ? 2 : 1
      yield text.slice(start, at)
    }
  }
}
