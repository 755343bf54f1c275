// A production installation in a folder: sources and build of this checkout with the packages that
// `npm ci && npm run build && npm prune --omit=dev` leaves, and no other package within reach.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryFile, repositoryRoot } from '../../plugins/repository.ts'
import { copyCluster } from './cluster.ts'
import { programOf } from './npm-scripts.ts'

/** Tracked folders that an installation runs from. */
const FOLDERS = ['scripts', 'packages', 'plugins', 'shared', 'supabase', 'web', 'deploy']
const FILES = [
  'marketplace.config.ts',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'tsconfig.base.json',
]

export interface ProductionInstall {
  /** The checkout: /opt/meadowlark in the documentation. */
  app: string
  dataDir: string
  backupDir: string
  /** The service's account; undefined where the tests do not run as root. */
  account: { uid: number; gid: number } | undefined
  /** `npm run <command> -- <args>` as the service's account. */
  run(command: string, args?: string[], env?: Record<string, string>): Promise<Ended>
  /** The same as root, where the tests run as root. */
  runAsRoot(command: string, args?: string[]): Promise<Ended>
  /** A command of the shell in the checkout, as the service's account with its settings. */
  shell(command: string, env?: Record<string, string>): ChildProcess
  /** `npm start -- --production` as the service's account; resolves once it prints that it is ready. */
  start(env?: Record<string, string>): Promise<Started>
  remove(): void
}

/** A server that runs. */
export type Started = ChildProcess & {
  /** All that it has printed so far. */
  printed(): string
}

export interface Ended {
  code: number | null
  output: string
}

export interface InstallOptions {
  /** The service's account; by default `nobody`, where the tests run as root. */
  account?: { uid: number; gid: number } | undefined
  /** Changes the installation before anything runs in it. */
  change?: (app: string) => void
}

/** Builds what has changed and installs it; `env` is the service's environment file. */
export async function installProduction(
  env: Record<string, string>,
  options: InstallOptions = {},
): Promise<ProductionInstall> {
  execFileSync(process.execPath, [repositoryFile('scripts/build.mjs')], { stdio: 'pipe' })
  const folder = mkdtempSync(join(tmpdir(), 'production-'))
  chmodSync(folder, 0o755)
  const [app, dataDir, backupDir] = ['app', 'data', 'backups'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  copySources(app)
  copyBuild(app)
  options.change?.(app)
  const account = options.account ?? serviceAccount()
  for (const path of [dataDir, backupDir]) mkdirSync(path, { mode: 0o711 })
  // Migrated before: this is not about a first start.
  await copyCluster('meadowlark', join(dataDir, 'postgres'))
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, dataDir, backupDir])
  const settings = {
    PATH: process.env.PATH,
    HOME: dataDir,
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    BACKUP_DIR: backupDir,
    ...env,
  }
  const launch = (script: string, args: string[], more: Record<string, string>, as = account) =>
    spawn(process.execPath, [...programOf(script, app), ...args], {
      ...as,
      cwd: app,
      env: { ...settings, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    app,
    dataDir,
    backupDir,
    account,
    run: (command, args = [], more = {}) => ended(launch(command, args, more)),
    runAsRoot: (command, args = []) => ended(launch(command, args, {}, { uid: 0, gid: 0 })),
    shell: (command, more = {}) =>
      spawn('sh', ['-c', command], {
        ...account,
        cwd: app,
        env: { ...settings, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    start: (more = {}) => ready(launch('start', ['--production'], more)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Copies what git tracks and an installation needs; `app` must not exist. */
export function copySources(app: string): void {
  mkdirSync(app)
  const tracked = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...FOLDERS],
    {
      cwd: repositoryRoot,
      encoding: 'utf8',
    },
  ).split('\0')
  for (const path of [...tracked.filter(Boolean), ...FILES])
    if (existsSync(repositoryFile(path)))
      cpSync(repositoryFile(path), join(app, path), { preserveTimestamps: true })
}

/** The build, and the packages that package-lock.json does not call development tools. */
function copyBuild(app: string): void {
  cpSync(repositoryFile('.build'), join(app, '.build'), { recursive: true })
  for (const path of productionPackages())
    cpSync(repositoryFile(path), join(app, path), { recursive: true, verbatimSymlinks: true })
}

/** Folders of packages below node_modules, without those that lie within another one of the list. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(repositoryFile('package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  return Object.entries(packages)
    .filter(
      ([path, { dev }]) =>
        /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && existsSync(repositoryFile(path)),
    )
    .map(([path]) => path)
}

function serviceAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** All that a command has printed so far. */
export function printedBy(child: ChildProcess): () => string {
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  return () => printed
}

/** Resolves once a command has ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  const printed = printedBy(child)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: printed() })))
}

function ready(child: ChildProcess): Promise<Started> {
  const printed = printedBy(child)
  return new Promise((resolve, reject) => {
    child.stdout?.on(
      'data',
      () => printed().includes('Ready in') && resolve(Object.assign(child, { printed })),
    )
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${printed()}`)))
  })
}

/** Puts a clone of the last commit in the place of an installation, installed by the documented commands; takes minutes. */
export function replaceByClone(app: string): void {
  rmSync(app, { recursive: true })
  execFileSync('git', ['clone', '--quiet', repositoryRoot, app])
  buildClone(app)
}

/** Installs and builds what is checked out in a clone, as docs/operations/deploy.md has it. */
export function buildClone(app: string): void {
  const { PATH, HOME } = process.env
  execFileSync('sh', ['-c', 'npm ci && npm run build && npm prune --omit=dev'], {
    cwd: app,
    stdio: 'pipe',
    env: { PATH, HOME, npm_config_audit: 'false', npm_config_fund: 'false' },
  })
}
