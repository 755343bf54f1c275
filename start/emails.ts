// The e-mails of notifications that the mail server does not have. Those of sign-in are jobs, which the server measures itself.
import type { Plugin } from '../server/plugin.ts'

export const emailsPlugin: Plugin = {
  name: 'emails',
  measurements: [
    {
      name: 'emails_unsent',
      help: 'E-mails of notifications that wait, were not taken yet, or were given up of the last day',
      labelNames: ['status'],
      async read(database) {
        const { rows } = await database.query<{ status: string; count: number }>(
          `select status, count(id)::int as count from unnest('{waiting,retrying,given_up}'::text[]) status left join (
             select id, case when last_error is null then 'waiting' else 'retrying' end as status
             from private.emails where status = 'waiting'
             union all
             select id, 'given_up' from private.emails
             where status <> 'waiting' and status = 'dead' and created_at > now() - interval '1 day'
           ) unsent using (status) group by status`,
        )
        return rows.map(({ status, count }) => ({ labels: { status }, value: count }))
      },
    },
  ],
}
