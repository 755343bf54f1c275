// Requests at a steady rate, reads and writes, however long their answers take: whatever fails is kept with its reason.
import { Agent, request } from 'node:http'

export interface SteadyLoad {
  /** Requests that were answered with success so far. */
  answered(): number
  /** Ends it once every request has its answer. `visits` are the ids that were acknowledged. */
  stop(): Promise<{ answered: number; failures: string[]; visits: number[]; slowest: number }>
}

export interface LoadOptions {
  url: string
  keys: { secret: string; publishable: string }
  /** Requests a second; every fifth is a write. */
  rate: number
  /** The id of its first write: the loads of one test must not share any. */
  firstId?: number
}

const EMBED = '/rest/v1/tasks?select=id,giver:public_profiles!task_giver_id(full_name)&limit=5'
const READS = [EMBED, '/auth/v1/settings', '/rest/v1/tasks?select=id,title&limit=5']

/** Makes the table that the load writes to. The servers' schema is to be read again afterwards. */
export async function makeVisits(query: (sql: string) => Promise<unknown>): Promise<void> {
  await query('create table public.visits (id bigint primary key)')
  await query('grant all on public.visits to service_role')
  await query(`notify pgrst, 'reload schema'`)
}

/** Sends reads and writes to `url` over connections that it keeps. */
export function startLoad({ url, keys, rate, firstId = 0 }: LoadOptions): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  const failures: string[] = []
  const visits: number[] = []
  let [begun, answered, slowest] = [0, 0, 0]
  const open = new Set<Promise<void>>()

  function ask(number: number): Promise<void> {
    const isWrite = number % 5 === 0
    const id = firstId + number
    const path = isWrite ? '/rest/v1/visits' : (READS[number % 3] as string)
    const method = isWrite ? 'POST' : 'GET'
    const since = performance.now()
    return new Promise((resolve) => {
      const done = (failure?: string) => {
        slowest = Math.max(slowest, Math.round(performance.now() - since))
        if (failure) failures.push(`${method} ${path} ${failure}`)
        else {
          answered++
          if (isWrite) visits.push(id)
        }
        resolve()
      }
      const headers = { apikey: isWrite ? keys.secret : keys.publishable, 'content-type': 'application/json' }
      const sent = request(url + path, { agent, method, headers }, (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () =>
          done((answer.statusCode ?? 500) < 300 ? undefined : `${answer.statusCode} ${text}`),
        )
        answer.on('error', (error) => done(error.message))
      })
      sent.on('error', (error) => done(error.message))
      sent.end(isWrite ? JSON.stringify({ id }) : undefined)
    })
  }

  const began = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * rate
    while (begun < due) {
      const one = ask(begun++).finally(() => open.delete(one))
      open.add(one)
    }
  }, 10)
  return {
    answered: () => answered,
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
      return { answered, failures, visits, slowest }
    },
  }
}
