// The tables of visits that repeat, in the policy matrix: nobody writes them but the functions.
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const theirs = `tasker_id = '${cast.theo}'`

export const seriesTables: Record<string, Rules> = {
  task_series: { authenticated: { select: true }, row: theirs, reads: 'grace theo ada' },
  snow_reports: {
    authenticated: { select: true },
    row: `series_id in (select id from public.task_series where ${theirs})`,
    reads: 'grace theo ada',
  },
}
