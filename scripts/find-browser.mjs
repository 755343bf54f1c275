// Finds a Chromium for the end-to-end tests, fetching one where that can be done without asking:
// CHROME_PATH, the usual places, Debian's own package (as root), else Playwright's download. The headless shell comes
// first: it is Chromium without windows and takes a third of the processor time.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HEADLESS_SHELL = 'chromium-headless-shell'
const COMMANDS = [HEADLESS_SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PLACES = [
  '/usr/bin/chromium',
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  join(homedir(), 'Applications/Google Chrome.app/Contents/MacOS/Google Chrome'),
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .map((name) => process.env[name])
    .filter(Boolean)
    .map((folder) => join(folder, 'Google/Chrome/Application/chrome.exe')),
]

/** Chromium's flags for quiet runs; the first only as root, because its sandbox rejects root. */
export const CHROMIUM_FLAGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The flags of runs that draw maps: WebGL in software. */
export const WEBGL_FLAGS = [
  ...CHROMIUM_FLAGS.filter((flag) => flag !== '--disable-gpu'),
  '--enable-unsafe-swiftshader',
  '--use-angle=swiftshader',
]

const HOW_TO_GET_ONE = `No Chromium or Chrome was found, and none could be fetched. Do one of these and try again:
  - Debian, Ubuntu:  sudo apt-get install chromium
  - macOS, Windows:  install Google Chrome
  - anywhere:        npx playwright install --with-deps chromium
  - or set CHROME_PATH to the browser's executable file.`

/**
 * The path of a browser that can be started, or undefined when none is on this machine. Downloads nothing.
 * @throws when CHROME_PATH is set and is not an executable file.
 */
export async function browserOnThisMachine() {
  const named = process.env.CHROME_PATH
  if (named) {
    if (isExecutable(named)) return named
    throw new Error(`CHROME_PATH is '${named}', which is not a file that can be run. Correct it or unset it.`)
  }
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => COMMANDS.map((command) => join(folder, command)))
  const found = [...onPath, ...PLACES].filter(isExecutable)
  return found.find((path) => path.endsWith(HEADLESS_SHELL)) ?? found[0] ?? (await playwrightsOwn())
}

/**
 * The path of a browser, installing one when the machine has none.
 * @throws with what to install when nothing works.
 */
export async function findBrowser() {
  const present = await browserOnThisMachine()
  if (present) return present
  if (process.getuid?.() === 0 && isDebian()) {
    console.warn('No Chromium here: installing the package `chromium-headless-shell` with apt-get.')
    run('apt-get', ['update', '-qq'])
    // Ubuntu has no headless shell.
    for (const name of ['chromium-headless-shell', 'chromium'])
      if (!(await browserOnThisMachine()))
        run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
          DEBIAN_FRONTEND: 'noninteractive',
        })
  }
  const afterPackage = await browserOnThisMachine()
  if (afterPackage) return afterPackage
  console.warn("No Chromium here: trying Playwright's own download.")
  const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url))
  run(process.execPath, [cli, 'install', 'chromium'])
  const afterDownload = await playwrightsOwn()
  if (afterDownload) return afterDownload
  throw new Error(HOW_TO_GET_ONE)
}

async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test')
  const path = chromium.executablePath()
  return path && isExecutable(path) ? path : undefined
}

function isDebian() {
  return (
    existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
  )
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Runs a command to its end, its output shown; a failure is the caller's to notice by what is still missing. */
function run(command, args, env = {}) {
  spawnSync(command, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...env } })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${await findBrowser()}\n`)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
