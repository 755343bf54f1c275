// The rules of the house that no type can hold: who may import whom, how long a file may be, who appears in examples,
// where settings and visible text come from. Rules for names: names.test.ts.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCircles } from './support/import-circles.ts'
import { files, imports, literal, type Node, nodes, root, tree } from './support/sources.ts'
import { functionsOf, isCallOf, isIdentifier, isMember, visibleTexts } from './support/syntax.ts'

/** Files and folders of the server's sources, by their names there. */
const server = (names: string) => names.split(' ').map((name) => `packages/server/src/${name}`)

/** Modules of the server that a service may use, in addition to its own folder. */
const PLATFORM = server(
  'sql postgres jobs mail sms config observability/tracing/spans.ts service-dependencies.ts',
)
const EVERY_SERVICE = [...PLATFORM, ...server('keys/keys.ts package-root.ts http/')]
const PLUGIN = server('plugin.ts')

/** The marketplace's values, at the root. */
const MARKETPLACE = 'marketplace.config.ts'

/** Allowed imports. The longest matching prefix is a file's rule; its own folder is always allowed. */
const MAY_IMPORT: Record<string, string[]> = {
  'web/app/': ['web/features/', 'web/ui/', 'web/lib/', 'web/i18n/', 'shared/', MARKETPLACE],
  'web/features/*/': ['web/ui/', 'web/lib/', 'web/i18n/', 'shared/', MARKETPLACE],
  'web/ui/': ['web/lib/', 'web/i18n/', 'shared/', MARKETPLACE],
  'web/lib/': ['web/i18n/', 'shared/', 'supabase/places.json', MARKETPLACE],
  'web/i18n/': ['shared/', MARKETPLACE],
  'web/public/': [],
  'web/worker/': ['shared/'],
  'shared/': [MARKETPLACE],
  'supabase/functions/*/': ['supabase/functions/_shared/', 'shared/', MARKETPLACE],
  'plugins/': ['packages/', 'deploy/static-site.ts'],
  'packages/server/': ['packages/server/'],
  'packages/server/src/': ['packages/server/extensions/plugin.ts'],
  'packages/server/src/postgres/': [...PLATFORM, ...server('package-root.ts')],
  'packages/server/src/sql/': server('config jobs observability/tracing/spans.ts'),
  'packages/server/src/jobs/': PLATFORM,
  'packages/server/src/mail/': PLATFORM,
  'packages/server/src/sms/': PLATFORM,
  'packages/server/src/config/': [],
  'packages/server/src/observability/tracing/': [],
  'packages/server/src/auth/': EVERY_SERVICE,
  'packages/server/src/auth/store/': [...PLATFORM, ...server('http/ auth/addresses.ts auth/errors.ts')],
  'packages/server/src/auth/flows/': [
    ...EVERY_SERVICE,
    ...'store/ emails/ hooks/ limits/ addresses.ts errors.ts database-failures.ts route.ts service.ts'
      .split(' ')
      .map((path) => `packages/server/src/auth/${path}`),
  ],
  'packages/server/src/rest/': EVERY_SERVICE,
  'packages/server/src/functions/': EVERY_SERVICE,
  'packages/server/src/realtime/': EVERY_SERVICE,
  'packages/server/src/storage/': EVERY_SERVICE,
  'packages/server/src/inbox/': [...EVERY_SERVICE, ...PLUGIN],
  'packages/server/extensions/': [...PLATFORM, ...PLUGIN, ...server('package-root.ts')],
  'packages/*/vitest.config.ts': ['vitest.project.ts'],
  'packages/stripe-sandbox/': ['packages/server/'],
  'packages/stripe-sandbox/src/': [...EVERY_SERVICE, ...PLUGIN],
  'packages/stripe-sandbox/src/cli/': ['packages/server/', 'packages/stripe-sandbox/src/'],
  'tests/': ['.build/', 'plugins/', 'packages/', 'shared/', 'supabase/', 'scripts/', 'deploy/', MARKETPLACE],
  'scripts/': ['.build/', 'packages/server/'],
  'deploy/': [...server('http/ config/'), 'plugins/payments.ts'],
  'bench/': ['plugins/', 'packages/', 'scripts/', '.build/'],
}

const LONGEST_FILE = 350
const LONGEST_FUNCTION = 80
const FEW_FILES = 12
/** The people of every example; `nobody` is the address that no account has. */
const CAST = ['grace', 'theo', 'ada', 'sam', 'nobody']
/** Beyond the tab: the two that the specification names, a stranger's task until the e-mail is confirmed, and small notes. */
const STORED = 'language theme waiting-task push-asked suspension-room device-position tasks-map'.split(' ')
/** It only looks whether the client library has kept a session there. */
const LOOKS_FOR_A_SESSION = 'web/lib/storedSession.ts'
/** Names are the same in every language. */
const NAMES = ['Meadowlark']

const code = files(/\.(ts|tsx|mjs|js)$/)
const checked = code.filter(({ path }) => !path.endsWith('.d.ts') && !isGenerated(path))
const web = checked.filter(({ path }) => path.startsWith('web/') && !/\.test\.tsx?$/.test(path))

/** English as the app reads it: one file per feature, its name the first part of every key. */
const english = Object.fromEntries(
  files(/^web\/i18n\/en\/.*\.json$/).map(({ path, text }) => [basename(path, '.json'), JSON.parse(text)]),
)

function isGenerated(path: string) {
  return path === 'web/lib/database.types.ts'
}

/** The rule for a path and the folder that counts as the file's own. */
function ruleFor(path: string): { own: string; allowed: string[] } | undefined {
  let best: { own: string; allowed: string[] } | undefined
  for (const [pattern, allowed] of Object.entries(MAY_IMPORT)) {
    const own = new RegExp(`^${pattern.replaceAll('*', '[^/]+')}`).exec(path)?.[0]
    if (own && own.length > (best?.own.length ?? 0)) best = { own, allowed }
  }
  return best
}

describe('allowed imports', () => {
  test('every import of ours is allowed by the table', () => {
    const wrong: string[] = []
    for (const source of checked) {
      if (!source.path.includes('/')) continue // configuration of tools at the root
      const rule = ruleFor(source.path)
      if (!rule) wrong.push(`${source.path} stands in a folder that the table does not know`)
      else
        for (const { path, offset } of imports(source))
          if (path && ![rule.own, ...rule.allowed].some((prefix) => path.startsWith(prefix)))
            wrong.push(`${source.at(offset)} imports ${path}`)
    }
    expect(wrong).toEqual([])
  })

  test('no file imports itself by way of others', () => {
    const ours = checked.filter(({ path }) => /^(packages|plugins|web|shared|supabase)\//.test(path))
    const graph = new Map(
      ours.map((source) => [source.path, imports(source).flatMap(({ path }) => (path ? [path] : []))]),
    )
    expect(importCircles(graph)).toEqual([])
  })

  test('every package that is imported is declared', () => {
    const namesIn = (path: string) => {
      const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
      return new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
    }
    const declared = {
      '.': namesIn('.'),
      'packages/server': namesIn('packages/server'),
      'packages/stripe-sandbox': namesIn('packages/stripe-sandbox'),
    }
    // Peers are installed next to the benchmarks.
    const peers = namesIn('bench')
    const wrong: string[] = []
    for (const source of checked)
      for (const { specifier, path, offset } of imports(source)) {
        if (path || /^(node:|virtual:|jsr:|\/)/.test(specifier)) continue
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/')
        const manifest = (/^packages\/[^/]+/.exec(source.path)?.[0] ?? '.') as keyof typeof declared
        const known = declared[manifest].has(name) || (source.path.startsWith('bench/') && peers.has(name))
        if (!known) wrong.push(`${source.at(offset)} imports ${name}`)
      }
    expect(wrong).toEqual([])
  })

  test('the browser meets no Node and no server', () => {
    const wrong = web.flatMap((source) =>
      imports(source)
        .filter(({ specifier }) => /^(node:|pg$|hono|stripe$)/.test(specifier))
        .map(({ specifier, offset }) => `${source.at(offset)} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  })

  test('the app takes rows as supabase-js types them', () => {
    const wrong = web.flatMap((source) =>
      [...source.text.matchAll(/\bas unknown as\b/g)].map((hit) => source.at(hit.index)),
    )
    expect(wrong).toEqual([])
  })

  test('batching of quick reads could be deleted without touching another folder', () => {
    const folder = 'packages/server/src/sql/batching/'
    const importers = checked.filter(
      (source) =>
        source.path.startsWith('packages/server/src/') &&
        !source.path.startsWith(folder) &&
        imports(source).some(({ path }) => path?.startsWith(folder)),
    )
    expect(importers.map(({ path }) => path)).toEqual(['packages/server/src/sql/request-connections.ts'])
  })

  test('the server names no table of the marketplace', () => {
    const names =
      /\b(bookings|payout_accounts|payment_methods|user_roles|task_doer|task_giver|escrow_status)\b/
    const wrong = files(/^packages\/server\/src\/.*\.(ts|sql)$/)
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .flatMap((source) => {
        const hit = names.exec(source.text)
        return hit ? [`${source.at(hit.index)} names ${hit[0]}`] : []
      })
    expect(wrong).toEqual([])
  })
})

describe('files', () => {
  test(`none is longer than ${LONGEST_FILE} lines`, () => {
    const sized = files(/\.(ts|tsx|mjs|js|sql|css)$/)
      .filter(({ path }) => !isGenerated(path))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    expect(sized.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([])
  })

  test(`no function is longer than ${LONGEST_FUNCTION} lines, those inside it included`, () => {
    const wrong = checked
      .filter(({ path }) => !/(^|\/)tests\/|\.test\.tsx?$/.test(path))
      .flatMap((source) => functionsOf(source).filter(({ lines }) => lines > LONGEST_FUNCTION))
    expect(wrong.map(({ at, lines }) => `${at}: ${lines} lines`)).toEqual([])
  })

  test('each says in its first line what it owns', () => {
    const silent = files(/\.(ts|tsx|mjs|js|sql|css)$/)
      .filter(({ path, text }) => !isGenerated(path) && !/^(#!.*\n)?(\/\/|\/\*|--)/.test(text))
      .map(({ path }) => path)
    expect(silent).toEqual([])
  })

  test(`a feature of more than ${FEW_FILES} has components/ and api/`, () => {
    const paths = checked.map(({ path }) => path)
    const features = new Set(paths.flatMap((path) => /^web\/features\/[^/]+\//.exec(path)?.[0] ?? []))
    const wrong = [...features].filter((feature) => {
      const own = paths.filter((path) => path.startsWith(feature))
      const has = (folder: string) => own.some((path) => path.startsWith(feature + folder))
      return own.length > FEW_FILES && !(has('components/') && has('api/'))
    })
    expect(wrong).toEqual([])
  })

  test('nothing is left for later in a comment', () => {
    const marks = /\b(TODO|FIXME|XXX)\b/
    const wrong = files(/\.(ts|tsx|mjs|js|sql|css|html|md|sh|yml)$/).flatMap((source) => {
      const hit = source.path === 'tests/architecture.test.ts' ? null : marks.exec(source.text)
      return hit ? [source.at(hit.index)] : []
    })
    expect(wrong).toEqual([])
  })

  test('no object literal is spread into another one to save lines', () => {
    const wrong = checked.flatMap((source) =>
      [...source.text.matchAll(/\.\.\.\{ /g)].map(({ index }) => source.at(index)),
    )
    expect(wrong).toEqual([])
  })

  test('only Grace, Theo, Ada and Sam appear outside the seed', () => {
    const wrong = files(/\.(ts|tsx|mjs|json|sql|md|html|toml)$/)
      .filter(({ path }) => !path.startsWith('supabase/seeds/') && path !== 'package-lock.json')
      .flatMap((source) =>
        [...source.text.matchAll(/\b([a-z][a-z.+-]*)@example\.(?:com|org|net|ca)\b/gi)]
          .filter(([, person = '']) => !CAST.includes(person.toLowerCase().split(/[+.]/)[0] ?? ''))
          .map((hit) => `${source.at(hit.index)} ${hit[0]}`),
      )
    expect(wrong).toEqual([])
  })
})

describe('documents', () => {
  test('link to files that exist', () => {
    const wrong = files(/\.md$/).flatMap((source) =>
      [...source.text.matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)(?:#[^)]*)?\)/g)]
        .filter(([, target = '']) => !existsSync(join(root, dirname(source.path), target)))
        .map((hit) => `${source.at(hit.index)} ${hit[1]}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('settings', () => {
  test('only packages/server/src/config/config.ts reads the environment', () => {
    const wrong = checked
      .filter(
        ({ path }) =>
          /^(packages\/[^/]+\/src|plugins|shared|web|supabase)\//.test(path) &&
          path !== 'packages/server/src/config/config.ts',
      )
      .flatMap((source) =>
        nodes(tree(source))
          .filter((node) => isMember(node, 'process', 'env') || isMember(node, 'Deno', 'env'))
          // A function's Deno entry hands Deno's environment to its handler; the module that Deno runs before it
          // takes what is not the function's out of it.
          .filter(() => !/^supabase\/functions\/[^/]+\/index\.ts$/.test(source.path))
          .filter(() => source.path !== 'packages/server/src/functions/deno/preload.mjs')
          .map((node) => source.at(node.start)),
      )
    expect(wrong).toEqual([])
  })

  test('the app keeps only what is listed in localStorage', () => {
    const wrong: string[] = []
    const readers = checked.filter(({ path }) => path.startsWith('web/') && path !== LOOKS_FOR_A_SESSION)
    for (const source of readers) {
      for (const node of nodes(tree(source))) {
        if (!isMember(node, undefined, 'localStorage') && !isIdentifier(node, 'localStorage')) continue
        const call = /localStorage\s*\.\s*(?:get|set|remove)Item\(\s*(?:'([^']*)'|([^,)]*))/y
        call.lastIndex = node.end - 'localStorage'.length
        const [, key, expression] = call.exec(source.text) ?? []
        if (key === undefined || !STORED.includes(key))
          wrong.push(`${source.at(node.start)} ${key ?? expression ?? 'used without a literal key'}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('text that a person reads', () => {
  test('comes from t() and is never written in a component', () => {
    const wrong: string[] = []
    for (const source of web.filter(({ path }) => path.endsWith('.tsx'))) {
      for (const node of nodes(tree(source))) {
        const words = visibleTexts(node)
          .map((text) => text.trim())
          .filter((text) => /\p{L}{2,}/u.test(text))
          .filter((text) => !NAMES.some((name) => name.toLowerCase() === text.toLowerCase()))
        wrong.push(...words.map((text) => `${source.at(node.start)} ${text}`))
      }
    }
    expect(wrong).toEqual([])
  })

  test('exists in English for every key that t() is given', () => {
    const known = new Set(keysOf(english))
    const wrong: string[] = []
    for (const source of web)
      for (const node of nodes(tree(source))) {
        const key = isCallOf(node, 't') ? literal((node.arguments as Node[])[0]) : undefined
        if (key && !known.has(key) && !known.has(`${key}_one`) && !known.has(`${key}_other`))
          wrong.push(`${source.at(node.start)} ${key}`)
      }
    expect(wrong).toEqual([])
  })

  test('is not kept in English when nothing shows it', () => {
    const written = files(/^web\/.*\.(ts|tsx)$/)
      .map(({ text }) => text)
      .join('\n')
    const quoted = new Set(written.match(/(?<=['"])[^'"\n]+(?=['"])/g))
    // A key may be put together from its beginning and a value: `tasks.category.${category}`.
    const begun = new Set(written.match(/(?<=`)[^`$\n]+(?=\.\$\{)/g))
    const unseen = keysOf(english).filter((key) => {
      const name = key.replace(/_(zero|one|two|few|many|other)$/, '')
      const beginnings = name.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.'))
      return !quoted.has(name) && !beginnings.some((start) => begun.has(start))
    })
    expect(unseen).toEqual([])
  })
})

function keysOf(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' ? keysOf(inner, `${before}${name}.`) : [`${before}${name}`],
  )
}
