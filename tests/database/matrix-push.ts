// The tables of web push in the policy matrix.
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const hours = ['starts', 'ends']

export const pushTables: Record<string, Rules> = {
  quiet_hours: {
    authenticated: { select: true, insert: ['user_id', ...hours], update: hours, delete: true },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: { starts: [`'21:00'`, 'theo'], ends: [`'06:00'`, 'theo'] },
    inserts: [{ user_id: id('sam'), starts: `'22:00'`, ends: `'07:00'` }, 'sam'],
    deletes: 'theo',
  },
  push_subscriptions: {
    authenticated: { select: true, delete: true },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    deletes: 'theo',
  },
}
