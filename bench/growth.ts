// How the marketplace's lists grow from ten thousand open tasks to a million: each query as the app sends it, as the
// person who sends it, in a database of either size.
import pg from 'pg'
import { type Figure, median } from './stage/figure.ts'
import { ada, grace, growTown, theo, words } from './stage/growth-rows.ts'
import type { Stage } from './stage/stage.ts'

export const title = 'Growth: the same question over 10,000 and over 1,000,000 open tasks'

const small = 10_000
const large = Number(process.env.BENCH_TASKS ?? 1_000_000)
const tries = 15

type Asked = { name: string; by: string | null; sql: string }

const questions: Asked[] = [
  ask(
    'browse, newest',
    null,
    `select * from public.tasks where status = 'open' order by created_at desc, id limit 24`,
  ),
  ask(
    'browse, one category',
    theo,
    `select * from public.tasks where status = 'open' and category = 'Moving' order by created_at desc, id limit 24`,
  ),
  ask(
    'browse, best paid',
    null,
    `select * from public.tasks where status = 'open' order by pay_amount desc, created_at desc, id limit 24`,
  ),
  ask(
    'browse, soonest',
    null,
    `select * from public.tasks where status = 'open' order by scheduled_date, created_at desc, id limit 24`,
  ),
  ask('recommended', theo, 'select * from public.recommended_tasks(max_results => 100)'),
  ask('search, a common word', null, search(words.common, 24)),
  ask('search, two common words', null, search(`${words.common} regina`, 24)),
  ask('search, a word of one task in 2,000', null, search(words.everyTwoThousandth, 24)),
  ask('search, a word of twenty tasks', null, search(words.twenty, 24)),
  ask('search, a word of none', null, search(words.none, 24)),
  ask('landing search, a common word', null, search(`"${words.common}"`, 5)),
  ask('landing search, a word of twenty tasks', null, search(`"${words.twenty}"`, 5)),
  ask(
    'dashboard, a giver’s own',
    grace,
    `select * from public.tasks where task_giver_id = '${grace}' order by created_at desc limit 5`,
  ),
  ask(
    'dashboard, open ones',
    theo,
    `select * from public.tasks where status = 'open' order by created_at desc limit 5`,
  ),
  ask('find taskers', null, 'select * from public.find_taskers()'),
  ask('find taskers, one by name', null, `select * from public.find_taskers('harpsichord')`),
  ask(
    'conversations',
    theo,
    `select * from public.conversations where status in ('accepted', 'in_progress')`,
  ),
  ask(
    'unread messages',
    theo,
    `select count(*) from public.messages where receiver_id = '${theo}' and read_at is null`,
  ),
  ask(
    'bookings of a tasker',
    theo,
    `select b.*, giver.full_name from public.bookings b
    left join public.public_profiles giver on giver.id = b.task_giver_id
    where b.task_doer_id = '${theo}' order by b.created_at desc`,
  ),
  ask('back office, people', ada, 'select * from public.find_people()'),
  ask('back office, one person', ada, `select * from public.find_people('person77@example.com')`),
  ask('back office, payments', ada, 'select * from public.find_payments()'),
  ask('back office, stuck payouts', ada, `select * from public.find_payments('payouts', 'stuck')`),
  ask('back office, payments of a person', ada, `select * from public.find_payments(query => '${theo}')`),
  ask(
    'back office, audit log of admins',
    ada,
    'select * from public.find_audit_entries(admins_only => true)',
  ),
  ask(
    'back office, audit log of a person',
    ada,
    `select * from public.find_audit_entries(person => '${theo}')`,
  ),
]

export async function* measure(stage: Stage): AsyncGenerator<Figure> {
  const cluster = await stage.postgres()
  const clients: pg.Client[] = []
  for (const [database, tasks] of [
    ['town', small],
    ['city', large],
  ] as const) {
    stage.log(`making ${tasks.toLocaleString('en')} open tasks`)
    await growTown(stage, database, tasks)
    const client = new pg.Client({ connectionString: cluster.url(database) })
    await client.connect()
    stage.onEnd(() => client.end())
    clients.push(client)
  }
  const [town, city] = clients as [pg.Client, pg.Client]
  for (const asked of questions) {
    const times: [number[], number[]] = [[], []]
    for (let n = -2; n < tries; n++) {
      for (const [which, client] of [town, city].entries()) {
        const took = await answer(client, asked)
        if (n >= 0) times[which]?.push(took)
      }
    }
    yield {
      name: asked.name,
      ours: median(times[1]),
      against: 'a hundredth of the tasks',
      theirs: median(times[0]),
      unit: 'ms',
      bound: { atMost: 2.5 },
    }
  }
}

/** Milliseconds until the rows are there, with the role and claims of whoever asks. */
async function answer(client: pg.Client, { by, sql }: Asked): Promise<number> {
  await client.query('begin')
  const claims = JSON.stringify(by ? { role: 'authenticated', sub: by } : { role: 'anon' })
  await client.query(`set local role ${by ? 'authenticated' : 'anon'}`)
  await client.query(`select set_config('request.jwt.claims', $1, true)`, [claims])
  const began = performance.now()
  await client.query(sql)
  const took = performance.now() - began
  await client.query('rollback')
  return took
}

function ask(name: string, by: string | null, sql: string): Asked {
  return { name, by, sql }
}

function search(text: string, rows: number): string {
  return `select * from public.search_tasks(${pg.escapeLiteral(text)}, max_results => ${rows})`
}
