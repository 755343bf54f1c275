// The tables of taskers and searches that people save, in the policy matrix.
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const listedTasker = '(select id from subject where name = $$listed tasker$$)'

export const savedTables: Record<string, Rules> = {
  favourites: {
    authenticated: { select: true, insert: ['user_id', 'tasker_id'], delete: true },
    row: `user_id = ${id('grace')}`,
    reads: 'grace',
    inserts: [{ user_id: id('sam'), tasker_id: listedTasker }, 'sam'],
    deletes: 'grace',
  },
  saved_searches: {
    authenticated: {
      select: true,
      insert: [
        'user_id',
        'words',
        'category',
        'location',
        'min_pay',
        'max_pay',
        'first_day',
        'last_day',
        'place_id',
        'latitude',
        'longitude',
        'radius_km',
        'pace',
      ],
      update: ['pace'],
      delete: true,
    },
    row: `user_id = ${id('grace')}`,
    reads: 'grace',
    writes: { pace: [`'daily'`, 'grace'] },
    inserts: [{ user_id: id('sam'), words: `'fence'` }, 'sam'],
    deletes: 'grace',
  },
}
