// The marketplace's server as a program: .build/server.mjs.
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type StartCommand, start } from '@meadowlark/server/cli/start.ts'
import type { RunningServer } from '@meadowlark/server/main.ts'
import { loadConfig, pluginsFor, sandboxOf } from './index.ts'
import { repositoryFile } from './repository.ts'

export interface ProgramOptions extends Pick<StartCommand, 'args' | 'reload'> {
  /** Serve the built web app (default); false in development, where Vite does. */
  web?: boolean
  /** Called once the server listens, before the warnings are printed. */
  onReady?: (server: RunningServer & { sandbox: ReturnType<typeof sandboxOf> }) => void
}

/** Runs the server until a signal ends it. */
export function main({ web = true, onReady, ...options }: ProgramOptions): Promise<void> {
  return start({
    ...options,
    command: 'npm start --',
    loadConfig,
    pluginsFor,
    webApp: web ? repositoryFile('.build/web') : undefined,
    onReady: (server) => onReady?.({ ...server, sandbox: sandboxOf(server.services.config) }),
  })
}

// Also without npm, as a service manager starts it: node .build/server.mjs --production
const [, program] = process.argv
if (program && existsSync(program) && realpathSync.native(program) === fileURLToPath(import.meta.url)) {
  await main({
    args: process.argv.slice(2),
    onReady: ({ url }) => process.stdout.write(`\n  Listening at ${url}\n`),
  })
}
