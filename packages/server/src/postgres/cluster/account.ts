// Which operating-system account runs the embedded PostgreSQL, and the command line that switches to it.
// PostgreSQL refuses to run as root, so root hands it to an unprivileged account.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { StartError } from './start-error.ts'

export interface Account {
  uid: number
  gid: number
}

export interface Command {
  file: string
  args: string[]
  /** Set where the account has to be switched by spawn itself, because `setpriv` is missing. */
  uid?: number
  gid?: number
}

/** The account to use for the cluster in `directory`: null means the account of this process. */
export function accountFor(directory: string): Account | null {
  if (process.getuid?.() !== 0) return null
  const owner = ownerOf(directory)
  if (owner && owner.uid !== 0) return owner
  return lookUp('postgres') ?? create('postgres')
}

/**
 * Wraps a command so that it runs as `account` and, on Linux, receives SIGINT (a fast shutdown) when this
 * process dies. `paths` are files and folders the account must reach; where it cannot, as under /root,
 * the command keeps the one capability that lets it.
 */
export function commandAs(account: Account | null, file: string, args: string[], paths: string[]): Command {
  const setpriv = hasSetpriv()
  if (!account) {
    return setpriv ? { file: 'setpriv', args: ['--pdeathsig', 'INT', '--', file, ...args] } : { file, args }
  }
  const reachable = canReach(account, paths)
  if (!setpriv) {
    if (reachable) return { file, args, ...account }
    throw new StartError(unreachable(paths))
  }
  const identity = ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups']
  const capability = reachable ? [] : KEEP_PASSAGE
  const dropped = [...identity, ...capability]
  if (!reachable && spawnSync('setpriv', [...dropped, 'true'], { stdio: 'ignore' }).status !== 0) {
    throw new StartError(unreachable(paths))
  }
  return { file: 'setpriv', args: [...dropped, '--pdeathsig', 'INT', '--', file, ...args] }
}

/** The capability to pass closed folders; the securebit makes access(2), by which initdb looks, count it too. */
const KEEP_PASSAGE = [
  ...['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'],
  ...['--securebits', '+no_setuid_fixup'],
]

function unreachable(paths: string[]): string {
  return (
    `DATA_DIR: the account that runs PostgreSQL cannot reach ${paths.join(' or ')}. ` +
    'Set DATA_DIR to a folder outside the home of root (and keep the checkout outside it), or start as an ordinary user.'
  )
}

let setprivFound: boolean | undefined

/** Whether there is a `setpriv` (Linux) that can have a program end with this process. */
export function hasSetpriv(): boolean {
  setprivFound ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  return setprivFound
}

function canReach(account: Account, paths: string[]): boolean {
  const all = paths.flatMap((path, index) => [...(index > 0 ? ['-a'] : []), '-x', path])
  return spawnSync('test', all, { ...account, stdio: 'ignore' }).status === 0
}

function ownerOf(path: string): Account | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? { uid: stat.uid, gid: stat.gid } : null
}

function lookUp(name: string): Account | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return answer.status === 0 ? Number(answer.stdout) : Number.NaN
  })
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid: uid as number, gid: gid as number } : null
}

function create(name: string): Account {
  // Debian and most others have useradd; Alpine has BusyBox's adduser.
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name]],
    ['adduser', ['-S', '-D', '-H', name]],
  ]
  for (const [file, args] of attempts) {
    spawnSync(file, args, { stdio: 'ignore' })
    const account = lookUp(name)
    if (account) return account
  }
  throw new StartError(
    `PostgreSQL does not run as root and the account "${name}" could not be made. ` +
      `Make it (useradd --system ${name}), start as an ordinary user, or set DATABASE_URL.`,
  )
}
