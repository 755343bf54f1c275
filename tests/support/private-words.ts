// Words that tests/architecture.test.ts bans, by folder: names that only this project would understand.

/**
 * Singular and lower case, separated by spaces: none is a part of a name or a word of a comment in the folder. What people
 * read (the texts of web/i18n) is not looked into.
 */
export const PRIVATE_WORDS: Record<string, string> = {
  'server/auth/': 'act allowance budget gone heard largest longest pace patience said told wanted',
  'server/auth/emails/': 'letter',
  'server/config/': 'asked patience said told',
  'server/functions/': 'farewell patience said told watched',
  'server/http/': 'crumbled door farewell pace patience said settle slab spent told',
  'server/jobs/': 'asked patience said told',
  'server/mail/': 'act heard letter longest patience said told wanted',
  'server/postgres/cluster/': 'asked lane patience said told',
  'server/postgres/migrate/': 'asked lane lend lent loan patience said told',
  'server/realtime/':
    'admission allowance applicant asker attendance budget bus crowd exchange gap heard lane peer said shelf silence told wanted',
  'server/sms/': 'act heard letter longest patience said told wanted',
  'server/sql/': 'asked group heard lane pace patience silence slab told',
  'server/storage/':
    'act gallery holding hopeless largest longest patience perform piece pour said settle shelf silence sink told',
  'start/': 'asked patience said told',
  'supabase/functions/': 'said silence stub told',
  'supabase/migrations/': 'said silence stub told wake',
  'tests/protocol/auth/': 'act budget patience said told',
  'tests/protocol/realtime/': 'crowd gap heard orchard patience refusal said told world',
  'web/': 'act heard patience said silence slip stub terminal told',
}
