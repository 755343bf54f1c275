// Words that tests/architecture.test.ts bans, by folder: names that only this project would understand.

/**
 * Singular and lower case, separated by spaces: none is a part of a name, a word of a comment or a part of a path in the
 * folder; one of two parts in every spelling (`keep-time`, `keepTime`, `keep_time`). What people read (the texts
 * of web/i18n) is not looked into. A word that is the field's own elsewhere (a `peer` of a socket, a `round` trip, the
 * `exchange` of a code, an `applicant` for a task, a `group` of principals) is banned only where it was ours.
 */
export const PRIVATE_WORDS: Record<string, string> = {
  '': 'act-as admission allowance attendance crumbled farewell gallery in-turn keep-time known-read lent-right orchard perform-at-once plain-letter turned-away wake-clock',
  'server/':
    'applicant asker bus crowd door holding hopeless lane lend lent loan orchard pace patience pour refusal shelf silence sink slab slip stub world',
  'sandbox/': 'door lane pace patience refusal shelf slab',
  'extensions/': 'door lane pace patience refusal shelf slab',
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
  'bench/': 'lane patience',
  'start/': 'asked patience said told',
  'supabase/functions/': 'said silence stub told',
  'supabase/migrations/': 'said silence stub wake',
  'supabase/schemas/': 'said silence stub wake',
  'tests/protocol/': 'lane orchard pace patience slab',
  'tests/protocol/auth/': 'act budget patience said told',
  'tests/protocol/rest/': 'world',
  'tests/protocol/realtime/': 'crowd gap heard refusal said told world',
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
