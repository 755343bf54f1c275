// One call of a function: runs it within its time, and answers for it where it does not start, or takes too long.
import type pino from 'pino'
import { BodyRefused } from '../http/body-refused.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { DenoHost } from './deno/host.ts'
import type { Runnable } from './directory.ts'
import { BootError, bootError, idleTimeout, markFailure, refusedBody, thrown } from './errors.ts'
import { type FunctionRequest, type FunctionRequestOptions, functionRequest } from './function-request.ts'
import type { Loader } from './loader.ts'
import { keptMoving, whenRead } from './streams.ts'

export type CallOptions = FunctionRequestOptions & {
  deno: Pick<DenoHost, 'fetch'>
  handlers: Pick<Loader, 'fetch'>
  /** A function must send something within this many milliseconds. */
  timeout: number
  onBootError: (name: string, error: Error) => void
  log: pino.Logger
}

/** The function's answer, or the host's. Throws what a handler threw. */
export async function call(
  source: Runnable,
  name: string,
  http: RequestContext,
  options: CallOptions,
): Promise<Response> {
  const { deno, handlers, timeout, log } = options
  const asked = functionRequest(http, options)
  const { request, signal, release } = asked
  const complain = () => log.error({ function: name, timeout }, 'the function did not answer in time')
  const work =
    source.kind === 'deno' ? deno.fetch(source, request, signal) : handlers.fetch(name, source.file, request)
  work.catch(() => {})
  const late = deadline(timeout)
  try {
    const answer = await Promise.race([work, late.passed, asked.refused])
    if (answer instanceof BodyRefused) return refusedBody(answer, options.maxBody)
    if (answer === 'late') {
      complain()
      release()
      asked.end(new Error('the host gave up'))
      return idleTimeout(timeout)
    }
    // A copy, since headers of an answer that a function fetched or redirected with cannot be added to.
    return markFailure(keptMoving(whenRead(new Response(answer.body, answer), release), timeout, complain))
  } catch (error) {
    release()
    return answerTo(error, name, asked, options)
  } finally {
    late.clear()
  }
}

function answerTo(
  error: unknown,
  name: string,
  { signal }: FunctionRequest,
  { maxBody, onBootError }: CallOptions,
): Response {
  if (signal.reason instanceof BodyRefused) return refusedBody(signal.reason, maxBody)
  if (error instanceof BootError) {
    onBootError(name, error)
    return bootError()
  }
  // Nobody hears it: the caller has gone.
  if (signal.aborted) return thrown()
  throw error
}

function deadline(timeoutMs: number): { passed: Promise<'late'>; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'late')
  })
  return { passed, clear: () => clearTimeout(timer) }
}
