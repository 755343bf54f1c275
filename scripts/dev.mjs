// npm run dev: the web app through Vite with hot reload (on HOST), and the API behind it, restarted when its sources,
// migrations or configuration change; functions are compiled anew by the server itself.
import { fork } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { announce } from './announce.mjs'
import { build } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === '--api') {
  // Without its parent there is nobody left to stop it.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  const { main } = await import('../.build/server.mjs')
  await main({ args: process.argv.slice(3), web: false, reload: true, onReady: tellParent })
} else {
  await develop(process.argv.slice(2))
}

/** Runs until Ctrl-C. The browser's port is PORT, the API's the one after it. */
async function develop(args) {
  const started = Date.now()
  const port = Number(process.env.PORT ?? 3000)
  process.env.API_URL = `http://127.0.0.1:${port + 1}`
  const { createServer } = await import('vite')
  const vite = await createServer({
    configFile: join(root, 'vite.config.ts'),
    server: { port, strictPort: true, host: process.env.HOST || undefined },
  })
  await vite.listen()

  const api = createApi(args, {
    ...process.env,
    // Browsers reach it through Vite, wherever that listens.
    HOST: '127.0.0.1',
    PORT: String(port + 1),
    SITE_URL: `http://localhost:${port}`,
  })
  let timer
  let asked = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, async () => {
      // Asked twice: at once. The API notices that it is alone and stops by itself. A second signal right after the
      // first is the same press of Ctrl-C, passed on by npm.
      if (asked) {
        if (performance.now() - asked > 500) process.exit(1)
        return
      }
      asked = performance.now()
      clearTimeout(timer)
      await Promise.all([api.stop(), vite.close()])
      process.exit(0)
    })
  }

  const first = await api.restart()
  if (asked) return
  if (first) announce({ ...first, url: `http://localhost:${port}` }, started)

  for (const folder of ['packages', 'plugins', 'shared', 'marketplace.config.ts', 'supabase']) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (/\.test\.ts$/.test(file ?? '') || /^functions\b/.test(file ?? '')) return
      clearTimeout(timer)
      timer = setTimeout(api.restart, 150)
    })
  }
}

/** The API in a separate process: `restart` resolves once it listens, or with null when it does not start. */
function createApi(args, env) {
  let child = null
  let turn = Promise.resolve(null)
  let ending = false

  async function stop() {
    const running = child
    child = null
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGTERM')
    await ended
  }

  async function replace() {
    try {
      await build({ web: false })
    } catch (error) {
      // The old one keeps running until the sources compile again; esbuild has printed what is wrong.
      process.stderr.write(`${error.message}\n`)
      return null
    }
    await stop()
    if (ending) return null
    const next = fork(self, ['--api', ...args], {
      env,
      execArgv: ['--enable-source-maps'],
      cwd: process.cwd(),
      // Out of reach of the terminal's Ctrl-C, which would come on top of what this process tells it.
      detached: true,
    })
    child = next
    return new Promise((resolve) => {
      next.once('message', resolve)
      next.once('exit', (code) => {
        if (child === next && code !== 0)
          process.stderr.write('The API ended; it starts again at the next change.\n')
        resolve(null)
      })
    })
  }

  return {
    restart: () => {
      turn = turn.then(replace, replace)
      return turn
    },
    stop: async () => {
      ending = true
      await Promise.all([stop(), turn.catch(() => {})])
      await stop()
    },
  }
}

/** Sends the announcement's content from the child process to its parent. */
function tellParent({ services: { config, keys }, sandbox }) {
  const { production, ownProject, project, dataDir } = config
  const { publishable } = keys
  process.send?.({
    services: { config: { production, ownProject, project, dataDir }, keys: { publishable } },
    sandbox,
  })
}
