// A town for people in closed loops: its database, its server, and pairs of givers and taskers who are signed in.
import { SignJWT } from 'jose'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { repositoryRoot } from '../../plugins/repository.ts'
import type { Person, Town } from './ask.ts'
import { type MeasuredProcess, startProcess } from './process.ts'
import { fillTasks, makeDatabase } from './tasks.ts'
import { Pair } from './townspeople.ts'

/** Seconds between two things that one person does, on average. */
const THINK = 10
const SECRET = 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o'

export type TownServer = MeasuredProcess<{ port: number; publishable: string; secret: string }>

/** A town with 2,000 open tasks, and its server, which listens on `port`. */
export async function openTown(stage: Stage, port: number): Promise<TownServer> {
  await makeDatabase(stage, 'town')
  await fillTasks(stage, 'town', { people: 200, tasks: 2000 })
  await stage.sql(
    'town',
    'update private.storage_quotas set files = 1000000, new_files = 1000000, unused_files = null',
  )
  const cluster = await stage.postgres()
  return startProcess(stage, 'server.mjs', {
    args: ['--workdir', repositoryRoot],
    // Not production, where the sandbox takes no money.
    env: {
      NODE_ENV: 'development',
      CLI_PORTS: 'false',
      HOST: '127.0.0.1',
      PORT: `${port}`,
      LOG_LEVEL: 'fatal',
      DATA_DIR: `${stage.directory}/data`,
      DATABASE_URL: cluster.url('town'),
      JWT_SECRET: SECRET,
      TRUSTED_PROXIES: '127.0.0.1',
      MAX_CONNECTIONS_PER_ADDRESS: '10000',
    },
  })
}

/** Everybody does something, thinks and goes on, for so many seconds. */
export async function live(pairs: readonly Pair[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000
  const one = async (pair: Pair, who: 'giver' | 'tasker') => {
    // They did not all sit down in the same moment.
    await pause(Math.random() * THINK, end)
    while (performance.now() < end) {
      await pair.act(who)
      await pause(anyTime(THINK), end)
    }
  }
  await Promise.all(pairs.flatMap((pair) => [one(pair, 'giver'), one(pair, 'tasker')]))
}

/** Seconds until something happens that happens every so many seconds on average. */
export const anyTime = (seconds: number) => -Math.log(1 - Math.random()) * seconds

/** Waits so many seconds, but never past the end, a moment of `performance.now()`. */
export const pause = (seconds: number, end: number) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.min(seconds * 1000, Math.max(end - performance.now(), 0))),
  )

/** Givers and verified taskers who are signed in. */
export async function makePairs(stage: Stage, town: Town, count: number): Promise<Pair[]> {
  const people = async (role: string) => {
    const rows = await stage.sql<{ id: string }>(
      'town',
      `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data,
         raw_user_meta_data, created_at, updated_at)
       select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
         $1 || '+' || n || '@example.com', now(), '{"provider":"email","providers":["email"]}',
         json_build_object('full_name', 'Person ' || n, 'role', $1), now(), now()
       from generate_series(1, $2::int) n returning id`,
      [role, count],
    )
    return Promise.all(
      rows.map(({ id }, nth) => person(id, `${role === 'task_giver' ? 11 : 12}.0.${nth >> 8}.${nth & 255}`)),
    )
  }
  const [givers, taskers] = [await people('task_giver'), await people('task_doer')]
  await stage.sql('town', 'vacuum analyze')
  return givers.map((giver, nth) => new Pair(town, giver, taskers[nth] as Person))
}

async function person(id: string, address: string): Promise<Person> {
  const token = await new SignJWT({ sub: id, role: 'authenticated', aud: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(new TextEncoder().encode(SECRET))
  return { id, token, address }
}
