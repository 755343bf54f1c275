// How long others take to answer this server: the payment provider that a function asks, a service of sign-in, an
// address of pg_net, the mail server. A remote server that accepts a connection and does not reply causes no error
// for a long time, so it is reported meanwhile.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Gauge, type Registry } from 'prom-client'

/** The data of Node's fetch about a request. */
interface Asked {
  origin: string | URL
  path: string
}

/** An answer that comes sooner is no wait; so there is a series for those only who are slow. In seconds. */
const SHORT = 1
/** A function's answer takes as long as its work. */
const FUNCTIONS = '/functions/v1/'

/** Follows every request that this process makes by `fetch`, and every email that it hands over; `stop` ends that. */
export function watchOutgoing(): { waiting(): Map<string, number>; stop(): void } {
  const begun = new Map<Pick<Asked, 'origin'>, number>()
  const begin = (message: unknown) => {
    const { request } = message as { request: Asked }
    if (!request.path.startsWith(FUNCTIONS)) begun.set(request, performance.now())
  }
  const end = (message: unknown) => void begun.delete((message as { request: Asked }).request)
  const listeners = {
    'undici:request:create': begin,
    'undici:request:headers': end,
    'undici:request:error': end,
    'tracing:smtp:start': (email: unknown) => void begun.set(email as { origin: string }, performance.now()),
    'tracing:smtp:asyncEnd': (email: unknown) => void begun.delete(email as { origin: string }),
  }
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener)
  return {
    /** Seconds for which the oldest request to each host has waited. */
    waiting() {
      const oldest = new Map<string, number>()
      for (const [{ origin }, at] of begun) {
        const { host } = new URL(origin)
        const seconds = (performance.now() - at) / 1000
        if (seconds > SHORT) oldest.set(host, Math.max(seconds, oldest.get(host) ?? 0))
      }
      return oldest
    },
    stop() {
      for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener)
    },
  }
}

export function measureOutgoing(
  registry: Registry,
  { waiting }: Pick<ReturnType<typeof watchOutgoing>, 'waiting'>,
): void {
  new Gauge({
    name: 'outgoing_waiting_seconds',
    help: 'How long the oldest request to another host has waited',
    labelNames: ['host'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [host, seconds] of waiting()) this.set({ host }, seconds)
    },
  })
}
