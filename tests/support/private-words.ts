// Words that tests/architecture.test.ts bans, by folder: names that only this project would understand.

/**
 * Singular and lower case, separated by spaces. None may be a part of a name, a word of a comment or a part of a path
 * in the folder. A word of two parts is banned in every spelling (`keep-time`, `keepTime`, `keep_time`). Interface
 * texts (web/i18n) are not checked. Some words are technical terms elsewhere: a `peer` of a socket, a `round` trip,
 * the `exchange` of a code, an `applicant` for a task, a `group` of principals. These are banned only where they were
 * private.
 */
export const PRIVATE_WORDS: Record<string, string> = {
  '': 'act-as admission allowance attendance crumbled farewell gallery in-turn keep-time known-read lent-right orchard perform-at-once plain-letter turned-away wake-clock',
  'packages/server/src/':
    'applicant asker bus crowd door holding hopeless lane lend lent loan orchard pace patience pour refusal shelf silence sink slab slip stub world',
  'packages/stripe-sandbox/': 'door lane pace patience refusal shelf slab',
  'packages/server/extensions/': 'door lane pace patience refusal shelf slab',
  'packages/server/src/auth/':
    'act allowance budget gone heard largest longest pace patience said told wanted',
  'packages/server/src/auth/emails/': 'letter',
  'packages/server/src/config/': 'asked patience said told',
  'packages/server/src/functions/': 'farewell patience said told watched',
  'packages/server/src/http/': 'crumbled door farewell pace patience said settle slab spent told',
  'packages/server/src/jobs/': 'asked patience said told',
  'packages/server/src/mail/': 'act heard letter longest patience said told wanted',
  'packages/server/src/postgres/cluster/': 'asked lane patience said told',
  'packages/server/src/postgres/migrate/': 'asked lane lend lent loan patience said told',
  'packages/server/src/realtime/':
    'admission allowance applicant asker attendance budget bus crowd exchange gap heard lane peer said shelf silence told wanted',
  'packages/server/src/sms/': 'act heard letter longest patience said told wanted',
  'packages/server/src/sql/': 'asked group heard lane pace patience silence slab told',
  'packages/server/src/storage/':
    'act gallery holding hopeless largest longest patience perform piece pour said settle shelf silence sink told',
  'bench/': 'lane patience',
  'plugins/': 'asked patience said told',
  'supabase/functions/': 'said silence stub told',
  'supabase/migrations/': 'said silence stub wake',
  'supabase/schemas/': 'said silence stub wake',
  'tests/protocol/': 'lane orchard patience slab',
  'packages/server/tests/auth/': 'act budget patience said told',
  'packages/server/tests/rest/': 'world',
  'packages/server/tests/realtime/': 'crowd gap heard refusal said told world',
  'packages/server/tests/': 'lane orchard pace patience slab',
  'tests/protocol/rest/': 'world',
  'tests/protocol/realtime/': 'crowd gap heard refusal said told world',
  'tests/protocol/auth/': 'act budget patience said told',
  'tests/support/': 'lane orchard pace patience slab world',
  'web/': 'act heard patience said silence slip stub terminal told',
}

/** Finds `slip` in `slip`, `Slips`, `taskSlip` and `SLIP_WIDTH`, but not in `slippery`; `keep-time` in `keepTime`, too. */
export function bannedNames(words: readonly string[]): RegExp {
  const forms = words.flatMap((word) => {
    const parts = word.split('-')
    const upper = parts.map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}`).join('')
    const lower = `${parts[0]}${upper.slice(parts[0]?.length)}`
    return [
      `(?<![a-zA-Z])(?:${parts.join('[-_]')}|${lower})`,
      upper,
      `(?<![A-Z])${parts.join('_').toUpperCase()}(?![A-Z])`,
    ]
  })
  return new RegExp(`(?:${forms.join('|')})s?(?![a-z])`)
}
