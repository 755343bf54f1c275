// The package as a stranger uses it: `npm pack`, installed in an empty folder, runs what `supabase init` and an editor made there.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'
import { freePort } from './support/free-port.ts'
import { supabase } from './support/supabase-cli.ts'

const MIGRATION = `
create table public.notes (id bigint generated always as identity primary key, body text not null);
alter table public.notes enable row level security;
create policy "everybody reads notes" on public.notes for select to anon using (true);
grant select on public.notes to anon;`

const FUNCTION = `Deno.serve(async (request) => {
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})`

let folder: string
let server: ChildProcess
let url: string
let key: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fresh-'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  install(folder)
  expect((await supabase(folder, folder, 'init')).code).toBe(0)
  write('supabase/migrations/20260101000000_notes.sql', MIGRATION)
  write('supabase/seed.sql', `insert into public.notes (body) values ('Bring a rake');`)
  write('supabase/functions/hello/index.ts', FUNCTION)
  const port = await freePort()
  server = spawn('npx', ['meadowlark-server', 'start'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, PORT: String(port), CLI_PORTS: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await printed(server, 'Ready in')
  url = `http://127.0.0.1:${port}`
  key = JSON.parse(readFileSync(join(folder, '.data/keys.json'), 'utf8')).publishable
})
afterAll(async () => {
  if (server?.pid) {
    // npx ends before the server does, which holds its output open.
    const ended = new Promise((resolve) => server.once('close', resolve))
    process.kill(-server.pid, 'SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

test('serves the rows of the migration and the seed', async () => {
  const answer = await fetch(`${url}/rest/v1/notes?select=body`, { headers: { apikey: key } })
  expect(await answer.json()).toEqual([{ body: 'Bring a rake' }])
})

test('runs the function', async () => {
  const answer = await fetch(`${url}/functions/v1/hello`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Grace' }),
  })
  expect(await answer.json()).toEqual({ message: 'Hello Grace!' })
})

test('signs people up and keeps the mail that it does not send', async () => {
  const answer = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com', password: 'Meadowlark1' }),
  })
  expect(answer.status).toBe(200)
  expect((await fetch(`${url}/sandbox/inbox.json`)).status).toBe(200)
})

test('has the commands of an operator', () => {
  const output = execFileSync('npx', ['meadowlark-server', 'keys', 'list'], { cwd: folder, encoding: 'utf8' })
  expect(output).toMatch(/ES256 {2}own\nsb_publishable_/)
})

test('contains every file that its manifest exports', () => {
  const installed = join(folder, 'node_modules/@meadowlark/server')
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const targets = Object.values<string | Record<string, string>>(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  const exported = targets.flatMap((target) =>
    target.endsWith('/*') ? filesOf(target.slice(0, -2)) : [target],
  )
  expect(exported.length).toBeGreaterThan(300)
  expect(exported.filter((path) => !existsSync(join(installed, path)))).toEqual([])
})

test("runs the README's program with a plugin", async () => {
  const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8')
  const [, program = ''] = /```js\n(.*?)```/s.exec(readme) ?? []
  write('server.mjs', program)
  const port = await freePort()
  const started = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: String(port),
      DATA_DIR: join(folder, '.other'),
      CLI_PORTS: 'false',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  try {
    await printed(started, 'the server listens')
    const answer = await fetch(`http://127.0.0.1:${port}/hello/Grace`)
    expect(await answer.text()).toBe('Hello Grace!')
  } finally {
    const ended = new Promise((resolve) => started.once('close', resolve))
    started.kill('SIGTERM')
    await ended
  }
})

/**
 * Installs the tarball as `npm i -D ./meadowlark-server.tgz` would, with the packages that are already here; nothing
 * is downloaded.
 */
function install(to: string): void {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: packageRoot,
    encoding: 'utf8',
  })
  const installed = join(to, 'node_modules/@meadowlark/server')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(to, packed.trim()), '--strip-components=1', '-C', installed])
  const { dependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), 'deno']) {
    const found = link(name, to)
    // npm puts the programs for this platform next to it.
    const { optionalDependencies } = JSON.parse(readFileSync(join(found ?? '', 'package.json'), 'utf8'))
    for (const optional of Object.keys(optionalDependencies ?? {})) link(optional, to)
  }
  mkdirSync(join(to, 'node_modules/.bin'))
  symlinkSync(join(installed, bin['meadowlark-server']), join(to, 'node_modules/.bin/meadowlark-server'))
}

/** Links a package that is installed here, and answers where it is. */
function link(name: string, to: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  const path = join(to, 'node_modules', name)
  if (!found || existsSync(path)) return found
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(found, path)
  return found
}

/** Files below a folder of this package, without unit tests. */
function filesOf(within: string): string[] {
  return readdirSync(join(packageRoot, within), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Resolves once it has printed the words. Rejects with all that it printed when it ends before. */
function printed(child: ChildProcess, words: string): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
        if (output.includes(words)) resolve()
      })
    child.once('exit', () => reject(new Error(output)))
  })
}
