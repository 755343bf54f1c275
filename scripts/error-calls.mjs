// Finds every error that the schema files and functions raise: its code, the names of its parameters, and its HTTP status.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Where each function of supabase/schemas/errors.sql takes the code and the parameters, and the status it answers with. */
const RAISING = {
  require: { code: 1, params: 3, status: 400 },
  allow: { code: 1, params: 2, status: 403 },
  fail: { code: 0, params: 2, status: 400, sqlstate: 3 },
  reject: { code: 0, status: 400 },
  forbid: { code: 0, status: 403 },
}
const STATUS_OF = { P0001: 400, 42501: 403, PT429: 429 }
const CODE = /^[a-z_]+\.[a-z0-9_]+$/

/** Every error with the call that raises it. Those that an expression chooses among each have an entry. */
export function errorsRaised() {
  return [...errorsOfSchema(), ...errorsOfFunctions()]
}

function errorsOfSchema() {
  return schemas().flatMap(({ file, sql }) => {
    const called = callsIn(sql).flatMap((call) => errorsOfCall(call, file))
    const returned = codesReturned(sql).filter((code) => !called.some((error) => error.code === code))
    return [...called, ...returned.map((code) => ({ code, params: [], status: 400, call: file }))]
  })
}

/** Places in supabase/schemas that raise an exception without a code. */
export function plainRaises() {
  return schemas()
    .filter(({ file }) => file !== 'errors.sql')
    .flatMap(({ file, sql }) =>
      [...sql.matchAll(/raise exception[^;]*/gi)].map(([raise]) => `${file}: ${raise}`),
    )
}

/** The hand-written schema files without their comments. */
function schemas() {
  return readdirSync(join(root, 'supabase/schemas'))
    .filter((file) => file !== 'error_messages.sql')
    .map((file) => ({
      file,
      sql: withoutComments(readFileSync(join(root, 'supabase/schemas', file), 'utf8')),
    }))
}

const withoutComments = (sql) =>
  sql.replace(/'(?:[^']|'')*'|--[^\n]*/g, (part) => (part.startsWith('--') ? '' : part))

/** Codes outside of a call: what a function like private.freeze_reason_code() answers for the call that raises it. */
function codesReturned(sql) {
  return [...sql.matchAll(/\b(?:then|else) '([a-z_]+\.[a-z0-9_]+)'/g)].map(([, code]) => code)
}

function errorsOfCall({ name, args }, file) {
  const call = `${file}: private.${name}(${args.join(', ')})`
  const { code, params, status, sqlstate } = RAISING[name]
  const given = args[params] ?? ''
  const states = literals(args[sqlstate] ?? '')
  return literals(args[code] ?? '')
    .filter((literal) => CODE.test(literal))
    .flatMap((found) =>
      (states.length > 0 ? states.map((state) => STATUS_OF[state]) : [status]).map((answered) => ({
        code: found,
        params: paramNames(given),
        status: answered,
        call,
      })),
    )
}

/** The calls of the raising functions, each with its arguments as they are written. */
function* eachCall(sql) {
  for (const match of sql.matchAll(/private\.(require|allow|fail|reject|forbid)\(/g)) {
    const args = argumentsAt(sql, match.index + match[0].length)
    if (args.length > 1 || args[0] !== '') yield { name: match[1], args }
  }
}
const callsIn = (sql) => [...eachCall(sql)]

/** The arguments that begin there, up to the closing bracket. */
function argumentsAt(sql, start) {
  const args = ['']
  let depth = 0
  let quoted = false
  for (let at = start; at < sql.length; at++) {
    const char = sql[at]
    if (char === "'") quoted = !quoted
    else if (!quoted && '(['.includes(char)) depth++
    else if (!quoted && ')]'.includes(char) && depth-- === 0) break
    else if (!quoted && char === ',' && depth === 0) {
      args.push('')
      continue
    }
    args[args.length - 1] += char
  }
  return args.map((arg) => arg.trim())
}

const literals = (sql) => [...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) => text.replaceAll("''", "'"))

/** Keys of a JSON literal or of jsonb_build_object(). */
function paramNames(sql) {
  if (/^'\{/.test(sql)) return Object.keys(JSON.parse(literals(sql)[0]))
  return [...sql.matchAll(/jsonb_build_object\(/g)].flatMap((match) =>
    argumentsAt(sql, match.index + match[0].length)
      .filter((_, nth) => nth % 2 === 0)
      .map((key) => literals(key)[0]),
  )
}

function errorsOfFunctions() {
  const folder = join(root, 'supabase/functions')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const source = readFileSync(join(folder, path), 'utf8')
      const constants = new Map(
        [...source.matchAll(/const ([A-Z_]+) = '([a-z_]+\.[a-z0-9_]+)'/g)].map(([, name, code]) => [
          name,
          code,
        ]),
      )
      const codeOf = (text) => constants.get(text) ?? text.slice(1, -1)
      const thrown = [...source.matchAll(/\bcoded\((\d{3}), ('[^']+'|[A-Z_]+)/g)]
      const failures = [...source.matchAll(/failure: \{ code: ('[^']+'|[A-Z_]+) \}/g)]
      const otherStatus = /failureStatus: (\d{3})/.exec(source)?.[1]
      const call = `supabase/functions/${path}`
      return [
        ...thrown.map(([, status, code]) => ({
          code: codeOf(code),
          params: [],
          status: Number(status),
          call,
        })),
        ...failures.map(([, code]) => ({
          code: codeOf(code),
          params: [],
          status: Number(otherStatus ?? 502),
          call,
        })),
      ]
    })
}
