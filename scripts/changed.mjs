// Finds the tests for `npm test -- changed`: all differences from main, committed or not. In doubt it selects more.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that tests run or read without importing them, and the projects of vitest that do. */
const READ_BY_TESTS = [
  [
    /^package-lock\.json$|^packages\/[^/]+\/package\.json$|\/tests\/support\/|^tests\/support\//,
    ['server', 'stripe-sandbox', 'database', 'protocol'],
  ],
  [/^packages\/server\/(?!bench\/)/, ['server', 'stripe-sandbox', 'protocol']],
  [/^packages\/stripe-sandbox\//, ['stripe-sandbox', 'protocol']],
  [/^supabase\/(schemas|migrations|seeds)\//, ['database', 'protocol']],
  [/^(supabase|plugins|shared|deploy|scripts|docs\/operations)\/|^README\.md$/, ['protocol']],
]
/** Sources of the browser's app and of the server behind it. */
const SEEN_IN_THE_BROWSER =
  /^(web|shared|supabase|plugins|packages\/[^/]+\/(src|extensions|tests\/support)|tests\/support)\/|^(package-lock\.json|marketplace\.config\.ts|vite\.config\.ts|playwright\.config\.ts)$/
const OF_A_FEATURE = /^web\/features\/([^/]+)\//
/** It opens every screen. */
const EVERY_SCREEN = 'accessibility.spec.ts'

/** The commit that the change begins with, and the paths of all files that differ from it. */
export function changeSinceMain(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const main = ['origin/main', 'main'].find((name) => {
    try {
      return git('rev-parse', '--verify', '--quiet', name)
    } catch {
      return false
    }
  })
  const base = main ? git('merge-base', 'HEAD', main) : 'HEAD'
  const lines = [
    git('diff', '--name-only', '--no-renames', base),
    git('ls-files', '--others', '--exclude-standard'),
  ]
  return { base, files: lines.flatMap((text) => text.split('\n')).filter(Boolean) }
}

/** Projects of vitest that run in full; of the others, the tests that import a changed file. */
export function projectsInFull(files) {
  return new Set(
    READ_BY_TESTS.flatMap(([pattern, projects]) =>
      files.some((file) => pattern.test(file)) ? projects : [],
    ),
  )
}

/**
 * Paths of the journeys that a change can affect, or 'all'. A change within features affects the journeys that name one of
 * their addresses, themselves or through a file that they import.
 */
export function journeysOf(root, files) {
  const folder = join(root, 'tests/e2e')
  const seen = files.filter((file) => SEEN_IN_THE_BROWSER.test(file) && !/\.test\.tsx?$/.test(file))
  const own = files.filter((file) => file.startsWith('tests/e2e/'))
  if (seen.some((file) => !OF_A_FEATURE.test(file))) return 'all'
  const addresses = [...new Set(seen.map((file) => OF_A_FEATURE.exec(file)?.[1]))].flatMap((feature) =>
    addressesOf(root, feature),
  )
  const names = readdirSync(folder).filter((name) => name.endsWith('.spec.ts'))
  return names
    .filter((name) => {
      const sources = sourcesOf(join(folder, name))
      if (own.some((file) => sources.has(join(root, file)))) return true
      if (seen.length > 0 && name === EVERY_SCREEN) return true
      const text = [...sources.values()].join('\n')
      return addresses.some((address) => text.includes(address))
    })
    .map((name) => `tests/e2e/${name}`)
}

/** Beginnings of the addresses at which a feature's screens are: `/bookings`. */
function addressesOf(root, feature) {
  const router = readFileSync(join(root, 'web/app/router.tsx'), 'utf8')
  const paths = readFileSync(join(root, 'web/lib/paths.ts'), 'utf8')
  const names = [...router.matchAll(/screen\(\s*paths\.(\w+),[^)]*?\(\) => import\('([^']+)'\)/g)]
    .filter(([, , file]) => file.startsWith(`../features/${feature}/`))
    .map(([, name]) => name)
  const found = names.flatMap((name) => new RegExp(`\\b${name}: '([^':]+)`).exec(paths)?.[1] ?? [])
  // A feature without its own screen is a part of others.
  return found.length > 0 ? found : ['']
}

/** The text of a file and of those that it imports from its own folder, by path. */
function sourcesOf(path, known = new Map()) {
  if (known.has(path) || !existsSync(path)) return known
  const text = readFileSync(path, 'utf8')
  known.set(path, text)
  for (const [, name] of text.matchAll(/from '(\.\/[^']+)'/g)) sourcesOf(join(dirname(path), name), known)
  return known
}
