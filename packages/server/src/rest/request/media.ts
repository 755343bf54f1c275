// Media types of requests and answers, with the parameters of PostgREST's own ones
// (`application/vnd.pgrst.object+json;nulls=stripped`, `application/vnd.pgrst.plan+json;for="…";options=…`).
// Reference: PostgREST 14, "Resource representation" and "Media type handlers".

type PlanOption = 'analyze' | 'verbose' | 'settings' | 'buffers' | 'wal'

export type MediaType =
  | {
      kind:
        | 'json'
        | 'array-stripped'
        | 'csv'
        | 'geojson'
        | 'openapi'
        | 'form'
        | 'text'
        | 'xml'
        | 'octets'
        | 'any'
    }
  | { kind: 'object'; stripped: boolean }
  | { kind: 'plan'; format: 'json' | 'text'; inner: MediaType; options: PlanOption[] }
  | { kind: 'other'; name: string }

const PLAIN = new Map<string, MediaType>([
  ['application/json', { kind: 'json' }],
  ['application/geo+json', { kind: 'geojson' }],
  ['text/csv', { kind: 'csv' }],
  ['text/plain', { kind: 'text' }],
  ['text/xml', { kind: 'xml' }],
  ['application/openapi+json', { kind: 'openapi' }],
  ['application/x-www-form-urlencoded', { kind: 'form' }],
  ['application/octet-stream', { kind: 'octets' }],
  ['*/*', { kind: 'any' }],
])

const PLAN_OPTIONS: PlanOption[] = ['analyze', 'verbose', 'settings', 'buffers', 'wal']
const JSON_TYPE: MediaType = { kind: 'json' }
const ANY: readonly MediaType[] = [{ kind: 'any' }]

/** One media type with its parameters. */
export function readMediaType(text: string): MediaType {
  const [first = '', ...rest] = splitOutsideQuotes(text, ';').map((part) => part.trim())
  const name = first.toLowerCase()
  const plain = PLAIN.get(name)
  if (plain) return plain
  const stripped = rest.includes('nulls=stripped')
  switch (name) {
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.object':
      return { kind: 'object', stripped }
    case 'application/vnd.pgrst.array+json':
    case 'application/vnd.pgrst.array':
      return stripped ? { kind: 'array-stripped' } : JSON_TYPE
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
      return planType('text', rest)
    case 'application/vnd.pgrst.plan+json':
      return planType('json', rest)
    default:
      return { kind: 'other', name }
  }
}

function planType(format: 'json' | 'text', parameters: string[]): MediaType {
  const chosen = parameterOf(parameters, 'options')?.split('|') ?? []
  const wanted = parameterOf(parameters, 'for')?.replace(/^"|"$/g, '')
  const inner = wanted === undefined ? JSON_TYPE : readMediaType(wanted)
  return {
    kind: 'plan',
    format,
    inner: inner.kind === 'plan' ? JSON_TYPE : inner,
    options: PLAN_OPTIONS.filter((option) => chosen.includes(option)),
  }
}

function parameterOf(parameters: string[], name: string): string | undefined {
  return parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The types of an `Accept` header, most wanted first. */
export function readAccept(header: string | undefined): readonly MediaType[] {
  if (!header || header === '*/*') return ANY
  const weighted = splitOutsideQuotes(header, ',').map((text) => {
    const quality = Number(/;\s*q=([\d.]+)/.exec(text)?.[1] ?? 1)
    return { text: text.replace(/;\s*q=[^;]*/, ''), quality: Number.isNaN(quality) ? 1 : quality }
  })
  // More specific types come before wildcards of the same weight; sort() keeps the rest in order.
  weighted.sort((a, b) => b.quality - a.quality)
  return weighted.map(({ text }) => readMediaType(text))
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts = ['']
  let inside = false
  for (const character of text) {
    if (character === '"') inside = !inside
    if (character === separator && !inside) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

const NAMES: Record<string, string> = Object.fromEntries([...PLAIN].map(([name, { kind }]) => [kind, name]))

/** The name with parameters, as errors and `Content-Type` show it. */
export function mediaTypeName(type: MediaType): string {
  switch (type.kind) {
    case 'object':
      return `application/vnd.pgrst.object+json${type.stripped ? ';nulls=stripped' : ''}`
    case 'array-stripped':
      return 'application/vnd.pgrst.array+json;nulls=stripped'
    case 'plan': {
      const options = type.options.length > 0 ? `; options=${type.options.join('|')}` : ''
      return `application/vnd.pgrst.plan+${type.format}; for="${mediaTypeName(type.inner)}"${options}`
    }
    case 'other':
      return type.name
    default:
      return NAMES[type.kind] as string
  }
}

/** The `Content-Type` header of an answer of this type. */
export function contentType(type: MediaType): string {
  const plain = type.kind === 'octets' || type.kind === 'other'
  return plain ? mediaTypeName(type) : `${mediaTypeName(type)}; charset=utf-8`
}
