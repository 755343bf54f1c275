// The e-mails of notifications that the mail server does not have (those of sign-in are jobs, which the server measures
// itself), and what proves to the function mail-events who reports a bounce or a complaint.

import type { Config } from '@meadowlark/server/config/config.ts'
import type { PluginSettings } from '@meadowlark/server/config/plugin-settings.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import { z } from 'zod'

const listOf = (one: RegExp, rule: string) =>
  z
    .string()
    .refine((value) => value.split(',').every((part) => one.test(part.trim())), rule)
    .optional()

export const notificationEmailsSettings: PluginSettings = {
  variables: {
    MAIL_EVENTS_PASSWORD: listOf(/^.{16,}$/, 'must have at least 16 characters'),
    MAIL_EVENTS_SIGNING_SECRET: listOf(
      /^whsec_[A-Za-z0-9+/]{24,}={0,2}$/,
      'must begin with whsec_, in base64',
    ),
    MAIL_EVENTS_TOPIC_ARN: listOf(
      /^arn:aws:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
      'must be the ARN of a topic of SNS',
    ),
  },
}

export const notificationEmails = ({ pluginVariables }: Pick<Config, 'pluginVariables'>): Plugin => ({
  name: 'notification-emails',
  environment: () =>
    Object.fromEntries(
      Object.keys(notificationEmailsSettings.variables)
        .filter((name) => pluginVariables[name])
        .map((name) => [name, String(pluginVariables[name])]),
    ),
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
})
