// The console of handlers that run in this process: each call is one record of the log, under the function's name, as
// it is for functions under Deno.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import type pino from 'pino'
import { cut, sparing } from './deno/lines.ts'

const METHODS = [
  ...[
    'assert',
    'count',
    'countReset',
    'debug',
    'dir',
    'dirxml',
    'error',
    'group',
    'groupCollapsed',
    'groupEnd',
  ],
  ...['info', 'log', 'table', 'time', 'timeEnd', 'timeLog', 'trace', 'warn'],
] as const satisfies (keyof Console)[]

type Print = (...values: unknown[]) => void

const current = new AsyncLocalStorage<Console>()

/** The server's own console stays what it is wherever no function runs. */
function share(): void {
  const shared = console as unknown as Record<string, Print>
  for (const method of METHODS) {
    const own = shared[method]?.bind(console) as Print
    shared[method] = (...values) => {
      const functions = current.getStore() as unknown as Record<string, Print> | undefined
      return functions ? (functions[method] as Print)(...values) : own(...values)
    }
  }
}
share()

/** Makes the console of one function. */
export function functionConsole(log: pino.Logger): Console {
  const tell = sparing((level: 'info' | 'warn' | 'error', text: string) => log[level](text))
  // Node's console writes each call in one piece.
  const to = (level: 'info' | 'warn' | 'error') =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        tell(level, cut(text.replace(/\n$/, '')))
        done()
      },
    })
  const options = { colorMode: false, inspectOptions: { depth: 4 } }
  const made = new Console({ ...options, stdout: to('info'), stderr: to('error') })
  made.warn = new Console({ ...options, stdout: to('warn') }).log
  return made
}

/** Runs a function's own code, whose console is `own` for as long as anything of it goes on. */
export function withConsole<Result>(own: Console, work: () => Result): Result {
  return current.run(own, work)
}
