// `npm run test:soak -- earlier-version <commit> [path …]`: runs the protocol suite of an earlier commit, code and
// tests as they were, on the schema of today. Its SQL (migrations, platform, sandbox, extensions) is replaced by
// today's, and so are the exceptions for advisors. A failure there is a fault that a rolling deploy or a rollback
// would hit.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Where the SQL lies that makes the schema. The projects of tests stay as they were. */
const SCHEMA = ['supabase/migrations', 'packages']
/** The scope of the repository's own packages in node_modules. */
const WORKSPACES = '@meadowlark'
/** Why each finding of `supabase db advisors` is meant: about the schema, and so of its version. */
const ADVISORS = 'supabase/advisors.json'

/**
 * Makes a folder with that version on today's schema, and resolves with what `run`, which gets the folder, answers.
 * @param {string} root the folder of this checkout
 * @param {string} commit
 * @param {(folder: string) => number} run
 */
export function onTodaysSchema(root, commit, run) {
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-earlier-'))
  // Some of its tests run as another account.
  chmodSync(folder, 0o755)
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    const names = SCHEMA.flatMap((part) =>
      readdirSync(join(root, part), { recursive: true }).map((name) => join(part, name)),
    ).filter((name) => /\.(sql|control)$/.test(name) && !name.includes('/tests/'))
    const added = names.filter((name) => !existsSync(join(folder, name)))
    for (const name of [...names, ADVISORS]) cpSync(join(root, name), join(folder, name))
    process.stdout.write(
      `${commit} on today's schema; it does not know ${added.join(', ') || 'nothing of it'}\n`,
    )
    if (hasItsPackages(root, folder)) linkPackages(root, folder)
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
    return run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The installed packages of this checkout, and the version's own of the workspaces. */
function linkPackages(root, folder) {
  const installed = join(folder, 'node_modules')
  mkdirSync(join(installed, WORKSPACES), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== WORKSPACES) symlinkSync(join(root, 'node_modules', name), join(installed, name))
  for (const name of readdirSync(join(root, 'node_modules', WORKSPACES)))
    symlinkSync(
      join(folder, 'packages', basename(realpathSync(join(root, 'node_modules', WORKSPACES, name)))),
      join(installed, WORKSPACES, name),
    )
}

/** Whether what is installed here has every package of that version as it was. */
function hasItsPackages(root, folder) {
  const [ours, theirs] = [root, folder].map((path) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    return { ...dependencies, ...devDependencies }
  })
  return Object.entries(theirs).every(([name, version]) => ours[name] === version)
}
