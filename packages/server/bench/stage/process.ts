// A Node process under measurement: our server, a peer, an empty handler. It tells its own processor time and memory.
import { type ChildProcess, spawn } from 'node:child_process'
import { basename, resolve } from 'node:path'
import { packageFile } from '../../src/package-root.ts'
import type { Stage } from './stage.ts'

type Usage = {
  /** Processor time of the whole process since it began, in microseconds. */
  cpu: number
  /** Memory it holds, in bytes. */
  rss: number
}

export interface MeasuredProcess<Ready> {
  /** The script's message `process.send({ ready })`. */
  ready: Ready
  pid: number
  usage(): Promise<Usage>
  /** The last of what it printed. */
  output(): string
  /** Sends the script a message and resolves with its answer: what it sends back as `{ answer }`. */
  ask<Answer>(question: unknown): Promise<Answer>
  stop(): Promise<void>
}

export interface ProcessOptions {
  args?: string[]
  env?: Record<string, string>
  /** Options of Node itself, as `--cpu-prof`. */
  node?: string[]
}

const START_TIMEOUT_MS = 120_000

/**
 * Starts a script, a name in `processes` or an absolute path, and resolves once it says that it is ready. Ends with the
 * stage.
 */
export async function startProcess<Ready>(
  stage: Stage,
  script: string,
  { args = [], env = {}, node = [] }: ProcessOptions = {},
): Promise<MeasuredProcess<Ready>> {
  const { PATH, HOME, TMPDIR } = process.env
  const processes = packageFile('bench/processes')
  const child = spawn(
    process.execPath,
    [...node, '--import', resolve(processes, 'usage.mjs'), resolve(processes, script), ...args],
    { env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
  stage.onEnd(() => stop(child))
  const ready = await new Promise<Ready>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`${basename(script)} is not ready: ${output}`)),
      START_TIMEOUT_MS,
    )
    child.once('exit', (code) =>
      reject(
        new Error(
          `${basename(script)} ended with ${code}: ${output.trim().split('\n').slice(0, 5).join(' ')}`,
        ),
      ),
    )
    child.once('error', reject)
    child.on('message', (message: { ready?: Ready }) => {
      if (message.ready === undefined) return
      clearTimeout(late)
      resolve(message.ready)
    })
  })
  return {
    ready,
    pid: child.pid as number,
    output: () => output,
    usage: () => ask(child, 'usage', () => output),
    ask: (question) => ask(child, question, () => output),
    stop: () => stop(child),
  }
}

function ask<Answer>(child: ChildProcess, question: unknown, output: () => string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error(`the process ended: ${output()}`))
    const heard = (message: { answer?: Answer }) => {
      if (message.answer === undefined) return
      child.off('message', heard).off('exit', gone)
      resolve(message.answer)
    }
    child.on('message', heard).once('exit', gone)
    child.send(question as object)
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}
