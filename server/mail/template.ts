// Email templates in the part of Go's template language that Supabase's templates use
// (https://supabase.com/docs/guides/auth/auth-email-templates): values, if / else if / else / end, eq, ne, not, index.

/** What a template can name: `.Email` is `values.Email`, `.Data.name` is `values.Data.name`. */
export type TemplateValues = Record<string, unknown>

/** A parsed template; `encode` decides how values enter the text. */
export type Template = (values: TemplateValues, encode: (value: string, before: string) => string) => string

type Expression = (values: TemplateValues) => unknown

type Node =
  | { text: string }
  | { value: Expression }
  | { branches: { condition: Expression; nodes: Node[] }[]; otherwise: Node[] }

type Token = { text: string } | { action: string }

/** Parses a template once. Throws an error that quotes the action which is not understood. */
export function parseTemplate(source: string): Template {
  const tokens = tokenize(source)
  const nodes = parseNodes(tokens, false)
  return (values, encode) => render(nodes, values, encode, '')
}

/** Values enter HTML as text; one that begins a link's address must be a web or mail address. */
export function escapeHtml(value: string, before: string): string {
  const linked = /(?:href|src)\s*=\s*["']?$/i.test(before)
  const safe = linked && !/^(https?:|mailto:|[^:]*$)/i.test(value) ? '#' : value
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&#34;',
    "'": '&#39;',
  }
  return safe.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Values enter a subject as they are, without line ends. */
export const escapeSubject = (value: string): string => value.replace(/[\r\n]+/g, ' ')

function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let rest = source
  let trimNext = false
  for (;;) {
    const start = rest.indexOf('{{')
    let text = start < 0 ? rest : rest.slice(0, start)
    if (trimNext) text = text.trimStart()
    if (start < 0) {
      tokens.push({ text })
      return tokens
    }
    const end = rest.indexOf('}}', start)
    if (end < 0) throw new Error(`"${rest.slice(start, start + 20)}…" is not closed with }}`)
    let action = rest.slice(start + 2, end)
    if (action.startsWith('- ')) {
      text = text.trimEnd()
      action = action.slice(1)
    }
    trimNext = action.endsWith(' -')
    if (trimNext) action = action.slice(0, -1)
    tokens.push({ text }, { action: action.trim() })
    rest = rest.slice(end + 2)
  }
}

/** Reads nodes up to the end, or, inside a block, up to its `else` or `end`, which stays in `tokens`. */
function parseNodes(tokens: Token[], inBlock: boolean): Node[] {
  const nodes: Node[] = []
  for (;;) {
    const token = tokens[0]
    if (!token) {
      if (inBlock) throw new Error('{{ if }} has no {{ end }}')
      return nodes
    }
    if ('action' in token && /^(else|end)\b/.test(token.action)) {
      if (!inBlock) throw new Error(`{{ ${token.action} }} has no {{ if }}`)
      return nodes
    }
    tokens.shift()
    if ('text' in token) nodes.push(token)
    else if (token.action.startsWith('/*')) continue
    else if (/^if\s/.test(token.action)) nodes.push(parseIf(tokens, token.action.slice(2)))
    else nodes.push({ value: parseExpression(token.action) })
  }
}

function parseIf(tokens: Token[], condition: string): Node {
  const branches = [{ condition: parseExpression(condition), nodes: parseNodes(tokens, true) }]
  for (;;) {
    const { action } = tokens.shift() as { action: string }
    if (action === 'end') return { branches, otherwise: [] }
    if (action === 'else') {
      const otherwise = parseNodes(tokens, true)
      tokens.shift()
      return { branches, otherwise }
    }
    const more = /^else\s+if\s(.*)$/s.exec(action)?.[1]
    if (more === undefined) throw new Error(`{{ ${action} }} is not understood`)
    branches.push({ condition: parseExpression(more), nodes: parseNodes(tokens, true) })
  }
}

function parseExpression(source: string): Expression {
  const words = source.trim().match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []
  const [first = '', ...rest] = words
  const operands = () => rest.map((word) => operand(word, source))
  if (first === 'not' && rest.length === 1) {
    const [value] = operands() as [Expression]
    return (values) => !truthy(value(values))
  }
  if ((first === 'eq' || first === 'ne') && rest.length === 2) {
    const [left, right] = operands() as [Expression, Expression]
    return (values) => (show(left(values)) === show(right(values))) === (first === 'eq')
  }
  if (first === 'index' && rest.length === 2) {
    const [table, key] = operands() as [Expression, Expression]
    return (values) => member(table(values), show(key(values)))
  }
  if (rest.length > 0) throw new Error(`{{ ${source.trim()} }} is not understood`)
  return operand(first, source)
}

function operand(word: string, source: string): Expression {
  if (word.startsWith('"')) {
    const literal = JSON.parse(word) as string
    return () => literal
  }
  if (!/^(\.[A-Za-z_]\w*)+$/.test(word)) throw new Error(`{{ ${source.trim()} }} is not understood`)
  const path = word.slice(1).split('.')
  return (values) => path.reduce<unknown>(member, values)
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

const truthy = (value: unknown): boolean => Boolean(value)

const show = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

type Encode = Parameters<Template>[1]

function render(nodes: Node[], values: TemplateValues, encode: Encode, before: string): string {
  let out = ''
  for (const node of nodes) {
    if ('text' in node) out += node.text
    else if ('value' in node) out += encode(show(node.value(values)), before + out)
    else {
      const chosen = node.branches.find(({ condition }) => truthy(condition(values)))
      out += render(chosen?.nodes ?? node.otherwise, values, encode, before + out)
    }
  }
  return out
}
