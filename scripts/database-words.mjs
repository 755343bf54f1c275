// Plain words for docs/database.md: types, defaults, conditions of triggers, and the steps of a status.

/** `timestamptz`, `numeric(12,2)`, or the values of an enum; "or null" where a column can be empty. */
export function typeOf({ type, values, required }) {
  const name = values ? values.map(code).join(', ') : plainType(type)
  return name + (required ? '' : ', or null')
}

export const plainType = (type) =>
  type
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll('time without time zone', 'time')
    .replace(/\b(public|private)\./g, '')

/** Values that a trigger replaces make a column optional for clients. */
const WORDS_OF_DEFAULTS = {
  'gen_random_uuid()': 'random',
  'now()': 'now',
  "'NaN'": 'set by a trigger',
  "'00000000-0000-0000-0000-000000000000'": 'set by a trigger',
}

/** The default as an ordinary value; an expression where the database computes the column. */
export function defaultOf({ default: sql, computed, identity }) {
  if (identity) return 'next number'
  if (!sql) return ''
  const plain = sql
    .replace(/::[a-z_.]+( with(out)? time zone)?(\[\])?/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (computed) return `computed: ${code(plain)}`
  return WORDS_OF_DEFAULTS[plain] ?? code(plain.replace(/^'(.*)'$/, '$1') || "''")
}

/**
 * A comment such as "Where it is: new → open when …; open | asked → assigned when …" as its meaning and its steps. A comment
 * without an arrow is a meaning only.
 */
export function statesOf(comment) {
  if (!comment?.includes('→')) return { meaning: comment ?? '', steps: [] }
  const place = comment.indexOf(': ')
  return {
    meaning: comment.slice(0, place),
    steps: comment
      .slice(place + 2)
      .split('; ')
      .map((step) => {
        const [, from, to, when] = /^(.+?) → (\w+) (?:when )?(.+)$/.exec(step) ?? []
        if (!to) throw new Error(`Not of the form "a → b when …" or "a → b after …": ${step}`)
        return { from: from.split(' | '), to, when }
      }),
  }
}

const COLUMN = '(?:old|new)\\.(\\w+)'
const EVENTS = { INSERT: 'a row is added', UPDATE: 'a row is changed', DELETE: 'a row is deleted' }
const values = (list) => list.match(/\w+/g).map(code).join(' or ')

/** Replacements that turn a trigger's `when` condition into plain words, applied in order. */
const WORDS = [
  [/not \(tg_op = 'INSERT'\)/g, () => EVENTS.UPDATE],
  [/tg_op = '(\w+)'/g, (_, event) => EVENTS[event]],
  [/private\.is_edited\(new, old\)/g, () => 'a field of the task changes'],
  [/not private\.is_erasing\(\)/g, () => 'no deleted account is being erased'],
  [/not private\.is_client\(\)|not \(private\.is_client\(\)\)/g, () => 'no client makes the change'],
  [/private\.is_client\(\)/g, () => 'a client makes the change'],
  [/private\.has_new_details\(new, old\)/g, () => 'a detail that the person enters changes'],
  [
    /\(((?:new|old)\.[^()]*)\) is distinct from \([^()]*\)/g,
    (_, list) => `one of ${[...list.matchAll(/\.(\w+)/g)].map(([, name]) => code(name)).join(', ')} changes`,
  ],
  [/\(old\.(\w+) is null\) <> \(new\.\1 is null\)/g, (_, name) => `${code(name)} is set or cleared`],
  [/\(new\.(\w+) is null\) <> \(old\.\1 is null\)/g, (_, name) => `${code(name)} is set or cleared`],
  [/old\.(\w+) is null and new\.\1 is not null/g, (_, name) => `${code(name)} is set`],
  [/new\.(\w+) = '(\w+)' and old\.\1 <> '\2'/g, (_, name, value) => `${code(name)} becomes ${code(value)}`],
  [
    /old\.(\w+) (?:<>|is distinct from) new\.\1 and new\.\1 (?:= '(\w+)'|in \(([^)]*)\))/g,
    (_, name, value, list) => `${code(name)} becomes ${values(value ?? list)}`,
  ],
  [
    /old\.(\w+) (?:=|in) ([^ ]+|\([^)]*\)) and new\.\1 (?:=|in) ('\w+'|\([^)]*\))/g,
    (_, name, from, to) => `${code(name)} goes from ${values(from)} to ${values(to)}`,
  ],
  [
    /new\.(\w+) (?:=|in) ([^ ]+|\([^)]*\)) and old\.\1 (?:=|in) ('\w+'|\([^)]*\))/g,
    (_, name, to, from) => `${code(name)} goes from ${values(from)} to ${values(to)}`,
  ],
  [
    /lower\(new\.(\w+)\) is distinct from lower\(old\.\1\)/g,
    (_, name) => `${code(name)} changes by more than capitals`,
  ],
  [
    new RegExp(`${COLUMN} (?:<>|is distinct from) (?:old|new)\\.\\1`, 'g'),
    (_, name) => `${code(name)} changes`,
  ],
  [
    new RegExp(`${COLUMN} (?:=|is not distinct from) (?:old|new)\\.\\1`, 'g'),
    (_, name) => `${code(name)} stays the same`,
  ],
  [/new\.user_id is distinct from auth\.uid\(\)/g, () => 'the row is not the caller’s'],
  [/new\.(?:user_)?id = auth\.uid\(\)/g, () => 'the row is the caller’s'],
  [
    /(old|new)\.(\w+) not in \(([^)]*)\)/g,
    (_, row, name, list) => `${code(name)} ${be(row)} not ${values(list)}`,
  ],
  [/(old|new)\.(\w+) in \(([^)]*)\)/g, (_, row, name, list) => `${code(name)} ${be(row)} ${values(list)}`],
  [/cardinality\(new\.(\w+)\) > 0|new\.(\w+) <> '\{\}'/g, (_, a, b) => `${code(a ?? b)} is not empty`],
  [
    /(old|new)\.(\w+) (=|<>) '(\w+)'/g,
    (_, row, name, sign, value) => `${code(name)} ${be(row)} ${sign === '=' ? '' : 'not '}${code(value)}`,
  ],
  [
    /(old|new)\.(\w+) is (not )?null/g,
    (_, row, name, not) => `${code(name)} ${be(row)} ${not ? '' : 'not '}set`,
  ],
  [/not (old|new)\.(\w+)/g, (_, row, name) => `${code(name)} ${be(row)} false`],
  [/(old|new)\.(\w+)/g, (_, row, name) => `${code(name)} ${be(row)} true`],
]
const be = (row) => (row === 'old' ? 'was' : 'is')

/** The `when` of a trigger, as written in supabase/schemas, for people who do not read SQL. */
export const plainCondition = (sql) =>
  WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), sql.replace(/\s+/g, ' ').trim())

export const code = (text) => `\`${text}\``
