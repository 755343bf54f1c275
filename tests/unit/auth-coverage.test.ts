// Compares the list of the sign-in service's answers (tests/protocol/auth/COVERAGE.md) with the code. It must have
// every public method of the installed client and every route of the server, with tests that exist.
import { existsSync, readFileSync } from 'node:fs'
import { AUTH_ROUTES } from '@meadowlark/server/auth/routes.ts'
import { AuthClient } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'

const text = readFileSync(repositoryFile('packages/server/tests/auth/COVERAGE.md'), 'utf8')
const rows = text.split('\n').filter((line) => line.startsWith('|'))
const cells = rows.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\s*\|$/g, '')))
/** Names in code style in the first column. */
const named = cells.flatMap(([first = '']) =>
  [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
)

const client = new AuthClient({ url: 'http://localhost', persistSession: false, autoRefreshToken: false })
/** Methods that are nothing of the service's: the client's own timers, storage, events and errors. */
const LOCAL =
  'initialize onAuthStateChange startAutoRefresh stopAutoRefresh isThrowOnErrorEnabled dispose'.split(' ')
/** Private in its types, without an underscore: parts of public ones. */
const PRIVATE = 'signInWithEthereum signInWithSolana linkIdentityOAuth linkIdentityIdToken fetchJwk'.split(
  ' ',
)

/** The public methods of an object, each behind `prefix`. */
function methodsOf(object: object, prefix = ''): string[] {
  const own = Object.entries(object)
    .filter(([name, value]) => !name.startsWith('_') && typeof value === 'function')
    .map(([name]) => name)
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter(
    (name) =>
      name !== 'constructor' &&
      !name.startsWith('_') &&
      Object.getPrototypeOf(object) !== Object.prototype &&
      typeof (object as Record<string, unknown>)[name] === 'function',
  )
  return [...new Set([...own, ...inherited])].map((name) => prefix + name)
}
const nested = (object: Record<string, unknown>, names: string[], prefix: string): string[] =>
  names.flatMap((name) => methodsOf(object[name] as object, `${prefix}${name}.`))

const auth = client as unknown as Record<string, unknown>
const admin = auth.admin as Record<string, unknown>
const TRANSPORT = ['fetch', 'lock', 'logger']
const methods = [
  ...methodsOf(client),
  ...nested(auth, ['mfa', 'passkey', 'oauth'], ''),
  ...methodsOf((auth.mfa as Record<string, object>).webauthn as object, 'mfa.webauthn.'),
  ...methodsOf(admin, 'admin.'),
  ...nested(admin, ['mfa', 'oauth', 'customProviders', 'passkey'], 'admin.'),
].filter((name) => ![...LOCAL, ...PRIVATE].includes(name) && !TRANSPORT.includes(name.replace(/^.*\./, '')))

/** Tests of the service are in the server's package, those of the marketplace's rules at the root. */
const existsTest = (name: string) =>
  ['packages/server/tests/auth', 'tests/protocol/auth'].some((folder) =>
    existsSync(repositoryFile(`${folder}/${name}.test.ts`)),
  )

describe('COVERAGE.md', () => {
  test('knows every namespace of the client', () => {
    const spaces = (object: object) =>
      Object.entries(object)
        .filter(
          ([name, value]) =>
            /^[a-z]/.test(name) &&
            typeof value === 'object' &&
            value !== null &&
            !Array.isArray(value) &&
            !(value instanceof Promise) &&
            methodsOf(value).length > 0,
        )
        .map(([name]) => name)
        .filter((name) => !['storage', 'userStorage', 'stateChangeEmitters'].includes(name))
        .sort()
    expect(spaces(client)).toEqual(['admin', 'mfa', 'oauth', 'passkey'])
    expect(spaces(admin)).toEqual(['customProviders', 'mfa', 'oauth', 'passkey'])
  })

  test.each(methods)('lists the method %s', (method) => {
    expect(methods.length).toBeGreaterThan(70)
    const prefix = method.replace(/[^.]+$/, '')
    const last = method.slice(prefix.length)
    // A row names its first method in full, and the rest by their last part.
    const listed = cells.some(([first = '']) => {
      const names = [...first.matchAll(/`([\w.]+)`/g)].map(([, name]) => name as string)
      return (
        names.includes(method) ||
        (names.includes(last) && names.some((name) => name.startsWith(prefix) && prefix !== '')) ||
        names.includes(`${prefix}*`)
      )
    })
    expect(listed).toBe(true)
  })

  test('lists every route of the server', () => {
    const paths = [...new Set(AUTH_ROUTES.filter(({ method }) => method !== '*').map(({ path }) => path))]
    const missing = paths.filter((path) => {
      const shape = path.replaceAll(/:\w+/g, '*')
      return !named.some((name) => {
        const listed = name.replace(/^(GET|POST|PUT|PATCH|DELETE|HEAD) /, '').replaceAll(/\{\w+\}/g, '*')
        return listed === shape || (listed.endsWith('/*') && shape.startsWith(listed.slice(0, -1)))
      })
    })
    expect(missing).toEqual([])
  })

  test('names tests that there are', () => {
    const places = cells.slice(1).flatMap((row) => (row.at(-1) ?? '').split(', '))
    const words = places
      .map((place) => place.replace(/^`|`$/g, '').trim())
      .filter((place) => /^[\w/.-]+$/.test(place))
    const absent = words.filter(
      (place) =>
        !['where', '---', '---|'].includes(place) &&
        !/^-+$/.test(place) &&
        !existsTest(place) &&
        !existsSync(repositoryFile(place)),
    )
    expect(absent).toEqual([])
  })
})

describe('ERRORS.md', () => {
  const errors = readFileSync(repositoryFile('packages/server/tests/auth/ERRORS.md'), 'utf8')
  const rows = errors.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.map((line) => /^\| `(\w+)`/.exec(line)?.[1])

  test('lists every code that the client knows, once', () => {
    const known = readFileSync(
      repositoryFile('node_modules/@supabase/auth-js/src/lib/error-codes.ts'),
      'utf8',
    )
    const codes = [...known.matchAll(/\| '(\w+)'/g)].map(([, code]) => code)
    expect(codes.length).toBeGreaterThan(70)
    // Of an earlier day; GoTrue has none of them any more.
    const former = ['reauth_nonce_missing']
    expect(codes.filter((code) => !listed.includes(code) && !former.includes(code as string))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })

  test('names tests that there are', () => {
    const tests = rows.flatMap((line) => (line.split(' | ').at(-1) ?? '').replace(/ \|$/, '').split(', '))
    const absent = tests.filter((name) => name !== '–' && !existsTest(name))
    expect(absent).toEqual([])
  })
})
