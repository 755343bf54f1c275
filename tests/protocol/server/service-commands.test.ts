// The ten commands of an operator, in each way to run Meadowlark. One is deploy/meadowlark with the unit of systemd,
// as the account that the documented useradd makes, with the environment file. The other is `npm run` in the files of
// the image, whose account may write nothing but its volumes.
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { runCommands } from '../../support/operator-commands.ts'
import { type Ended, installProduction, type ProductionInstall } from '../../support/production-install.ts'

const isRoot = process.getuid?.() === 0
const USER = `meadowlark-${process.pid}`
const read = (path: string) => readFileSync(repositoryFile(path), 'utf8')
const page = read('docs/operations/deploy.md')

let installed: ProductionInstall
let server: ChildProcess
let files: { command: string; settings: string }

/** The paths and the account of the page, as they are in the test. */
const placed = (text: string) =>
  text
    .replaceAll('/opt/meadowlark', installed.app)
    .replaceAll('/etc/meadowlark.env', files.settings)
    .replaceAll('/var/lib/meadowlark', installed.dataDir)
    .replace(/--re([ug])id=meadowlark/g, `--re$1id=${USER}`)

/** Removes the files that the Dockerfile's `RUN` steps after the build remove. Packages are pruned already. */
function asImage(app: string): void {
  const steps = read('deploy/Dockerfile').replace(/\\\n/g, ' ')
  const [removal] = /^RUN (rm -rf web .*)$/m.exec(steps)?.slice(1) ?? []
  execFileSync('sh', ['-c', removal as string], { cwd: app })
}

/** NAME='value' lines, as the page has them written. */
const environmentFile = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')

beforeAll(async () => {
  if (!isRoot) return
  const [useradd = ''] = /^sudo useradd .*$/m.exec(page) ?? []
  const words = useradd.split(' ').slice(1)
  expect([words[0], words.at(-1)]).toEqual(['useradd', 'meadowlark'])
  execFileSync(words[0] as string, [...words.slice(1, -1), USER])
  const id = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }))
  const account = { uid: id('-u'), gid: id('-g') }
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    SITE_URL: 'https://meadowlark.example',
    ALLOW: 'missing-smtp,missing-stripe',
    // Read by systemd, Compose and Node alike as it is between the quotes.
    SMTP_SENDER_NAME: 'Meadowlark & friends # $HOME "here"',
  }
  installed = await installProduction(settings, { account, change: asImage })
  files = {
    command: join(installed.app, 'meadowlark'),
    settings: join(installed.app, '../meadowlark.env'),
  }
  writeFileSync(files.settings, environmentFile({ ...settings, BACKUP_DIR: installed.backupDir }))
  chownSync(files.settings, 0, account.gid)
  chmodSync(files.settings, 0o640)
  writeFileSync(files.command, placed(read('deploy/meadowlark')), { mode: 0o755 })
  server = await installed.start()
})
afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
  installed?.remove()
  if (isRoot) spawnSync('userdel', [USER])
})

const ended = (file: string, args: string[], options: object): Ended => {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', ...options })
  return { code: status, output: stdout + stderr }
}
const asService = (command: string, ...args: string[]) => ended(files.command, [command, ...args], {})
/** `docker compose exec meadowlark npm run <command> -- <args>`. */
const inImage = (command: string, ...args: string[]) =>
  ended('npm', ['run', '--silent', command, '--', ...args], {
    ...installed.account,
    cwd: installed.app,
    env: {
      PATH: process.env.PATH,
      HOME: installed.dataDir,
      NODE_ENV: 'production',
      DATA_DIR: installed.dataDir,
      BACKUP_DIR: installed.backupDir,
      SITE_URL: 'https://meadowlark.example',
      ALLOW: 'missing-smtp,missing-stripe',
    },
  })

const WAYS: [string, typeof asService][] = [['the service of systemd', asService]]
if (isSoak) WAYS.push(['the container', inImage])

describe.runIf(isRoot).each(WAYS)('in %s', (_, run) => {
  test('the account may not write to the program', () => {
    const { code } = ended('touch', [join(installed.app, 'x')], { ...installed.account })
    expect(code).not.toBe(0)
  })

  test('each command works, or says what it lacks', async () => {
    await runCommands(run, installed.dataDir)
    // Root ran the command of the service, and owns nothing of what it wrote.
    const ofRoot = ended('find', [installed.dataDir, installed.backupDir, '-user', 'root'], {})
    expect(ofRoot).toEqual({ code: 0, output: '' })
  })
})

describe.runIf(isRoot)('the command of the service', () => {
  test('reads the settings as they are between the quotes', () => {
    const script = join(installed.app, 'scripts/reconcile.mjs')
    const original = readFileSync(script)
    writeFileSync(
      script,
      'process.stdout.write(process.env.SMTP_SENDER_NAME + process.env.DATA_DIR + process.getuid())',
    )
    const printed = asService('reconcile')
    writeFileSync(script, original)
    expect(printed).toEqual({
      code: 0,
      output: `Meadowlark & friends # $HOME "here"${installed.dataDir}${installed.account?.uid}`,
    })
  })

  test('names a command that it does not know, and another account that may not read the settings', () => {
    expect(asService('nothing')).toEqual({ code: 1, output: 'meadowlark: there is no command nothing\n' })
    const { code, output } = ended(files.command, ['doctor'], { uid: 65534, gid: 65534 })
    expect(code).not.toBe(0)
    expect(output).toContain(files.settings)
  })

  test('restores and upgrades once the server is stopped', async () => {
    server.kill('SIGTERM')
    await once(server, 'exit')
    expect(asService('restore', '--replace')).toEqual({
      code: 0,
      output: expect.stringMatching(/^Restored \d+ rows/m),
    })
    expect(asService('upgrade')).toEqual({ code: 0, output: expect.stringContaining('already') })
    server = await installed.start()
  })
})

test('the unit and the command agree on the account, the folders and the settings', () => {
  const unit = Object.fromEntries(
    read('deploy/meadowlark.service')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  )
  const command = read('deploy/meadowlark')
  expect(command).toContain(`--reuid=${unit.User} `)
  expect(command).toContain(`cd ${unit.WorkingDirectory}\n`)
  expect(command).toContain(`--env-file=${unit.EnvironmentFile} `)
  expect(command).toContain(`env ${unit.Environment} `)
  expect(unit).toMatchObject({ ProtectSystem: 'strict', StateDirectory: 'meadowlark' })
  // The page makes the folder of backups where the unit lets the service write.
  expect(page).toContain(`-g meadowlark ${unit.ReadWritePaths?.replace('-', '')}\n`)
})
