// The queries near a point whose growth is measured (web/features/tasks/api/nearbyTasks.ts). The map shows the tasks of the
// list, and searches the area that it shows.
import pg from 'pg'
import { type Asked, ask } from './growth-questions.ts'
import { THEO, words } from './growth-rows.ts'

/** Where a device is, at no centre of a cell: in the largest city, and far from all cities. */
const CITY = { latitude: 52.1204, longitude: -106.6607 }
const NORTH = { latitude: 55.1031, longitude: -105.2814 }
/** The centre of a map of the whole south. */
const SOUTH = { latitude: 51.2402, longitude: -105.5108 }

/** One of the sixty days on which tasks are. */
const DAY = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString().slice(0, 10)

const PAGE_SIZE = 24
const SORTS = ['distance', 'newest', 'pay'] as const

type Near = {
  at?: typeof CITY
  km: number
  sort?: (typeof SORTS)[number]
  query?: string
  category?: string
  min_pay?: number
  first_day?: string
  last_day?: string
}

export const questionsNear: Asked[] = [
  ...[5, 25, 200].flatMap((km) => SORTS.map((sort) => near(`${km} km, by ${sort}`, { km, sort }))),
  near('a common word, by distance', { km: 25, query: words.common }),
  near('a common word, by newest', { km: 200, query: words.common, sort: 'newest' }),
  near('two common words, by pay', { km: 200, query: `${words.common} saskatoon`, sort: 'pay' }),
  near('a word of one task in 2,000', { km: 25, query: words.everyTwoThousandth }),
  near('a word of one task in 2,000, by newest', {
    km: 200,
    query: words.everyTwoThousandth,
    sort: 'newest',
  }),
  near('a word of twenty tasks', { km: 200, query: words.twenty }),
  near('a word of none', { km: 25, query: words.none, sort: 'newest' }),
  near('one category, by distance', { km: 25, category: 'Moving' }),
  near('one category, by newest', { km: 200, category: 'Moving', sort: 'newest' }),
  near('a kind of two categories', { km: 25, category: 'Moving & Delivery' }),
  near('a kind by its words, by newest', { km: 200, category: 'Painting', sort: 'newest' }),
  near('a lowest pay', { km: 200, min_pay: 900, sort: 'newest' }),
  near('a pay that no task has', { km: 25, min_pay: 5000 }),
  near('one day', { km: 25, first_day: DAY, last_day: DAY }),
  near('a day of no task', { km: 200, first_day: '2099-01-01', last_day: '2099-01-02', sort: 'newest' }),
  near('far from all cities, by newest', { at: NORTH, km: 200, sort: 'newest' }),
  near('far from all cities, a common word', { at: NORTH, km: 200, query: words.common }),
  ...SORTS.map((sort) => laterPage(40, { km: 25, sort })),
  laterPage(20, { km: 200, sort: 'newest', query: words.common }),
  near('the area of a map, by distance', { at: SOUTH, km: 200 }),
  near('the area of a map, by newest', { at: SOUTH, km: 200, sort: 'newest' }),
  ...[5, 200].map((km) => count(`${km} km`, { km })),
  count('a common word', { km: 25, query: words.common }),
  count('a word of one task in 2,000', { km: 200, query: words.everyTwoThousandth }),
  count('far from all cities', { at: NORTH, km: 200 }),
]

function near(name: string, asked: Near): Asked {
  return ask(`near, ${name}`, null, list(asked))
}

/** For a tasker, whose list shows scores, too. */
function laterPage(nth: number, asked: Near & { sort: string }): Asked {
  const name = [`near, page ${nth}`, asked.query && 'a common word', `by ${asked.sort}`]
    .filter(Boolean)
    .join(', ')
  return ask(name, THEO, async (client) => {
    let page = list(asked)
    for (let n = 1; n < nth; n++) {
      const keys = `select jsonb_build_object('id', id, 'created_at', created_at, 'pay_amount', pay_amount,
        'public_latitude', public_latitude, 'public_longitude', public_longitude) as after`
      const { rows } = await client.query(page.replace('select *', keys))
      page = list(asked, rows.at(-1).after)
    }
    return page
  })
}

function count(name: string, { at = CITY, km, ...asked }: Near): Asked {
  return ask(
    `near, counted, ${name}`,
    null,
    `select ${call('count_nearby_tasks', { ...at, radius_km: km, ...asked })}`,
  )
}

/** A page, after the last task of the one before. */
function list({ at = CITY, km, sort = 'distance', query = '', ...asked }: Near, after?: object): string {
  const named = {
    ...at,
    radius_km: km,
    query,
    ...asked,
    sort,
    ...(after && { after }),
    max_results: PAGE_SIZE,
  }
  return `select * from ${call('nearby_tasks', named)}`
}

function call(name: string, named: object): string {
  const values = Object.entries(named).map(([key, value]) => {
    if (typeof value === 'number') return `${key} => ${value}`
    return `${key} => ${pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))}`
  })
  return `public.${name}(${values.join(', ')})`
}
