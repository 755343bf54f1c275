// English texts about verification match the rules: taskers may apply without having shown an ID, so no text claims
// that all of them have. A sentence about all taskers is listed here with the test of its rule.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { files, root } from '../support/sources.ts'

const LISTED = [
  'tests/database/discovery.test.ts',
  'lists verified taskers, best first, by name, skill or bio',
]
const APPROVED = [
  'tests/database/badge.test.ts',
  'needs a picture of the ID and the word that it shows this person',
]
const UNVERIFIED = [
  'tests/e2e/bookings.spec.ts',
  'an unverified tasker is marked on the card, before the acceptance, in the chat and on the profile',
]

/** Each key with the file and title of the test by which it is true. */
const TRUE: Record<string, string[]> = {
  'account.public': LISTED,
  'admin.ownWord': LISTED,
  'admin.removalBody': LISTED,
  'landing.safety.id.body': LISTED,
  // The specification's own words; its body says what for.
  'landing.safety.id.title': APPROVED,
  'landing.safety.verified.title': APPROVED,
  'legal.terms.account.body': UNVERIFIED,
  'profile.nameTakesBadge': [
    'tests/database/badge.test.ts',
    'loses the badge until an admin has looked again, and both are notified',
  ],
  'taskers.lead': LISTED,
  'taskers.none': LISTED,
  'taskers.noneYet': LISTED,
}

const OF_TASKERS = /tasker|professional|mandatory|people from/i
const OF_VERIFICATION = /\bIDs?\b|identi|verif/i
const OF_ALL =
  /\b(all|every|each|any|only|always|never|no|nobody|mandatory|must|before|once|verified (tasker|people|professional))/i

function* sentencesOf(texts: object, key: string): Iterable<[string, string]> {
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== 'string') yield* sentencesOf(text, `${key}.${name}`)
    else for (const sentence of text.split(/(?<=[.!?;])\s+/)) yield [`${key}.${name}`, sentence]
}

const promises = (key: string, texts: object) =>
  [...sentencesOf(texts, key)].filter(([, sentence]) =>
    [OF_TASKERS, OF_VERIFICATION, OF_ALL].every((words) => words.test(sentence)),
  )

test('a claim about all taskers is one that a test has verified', () => {
  const found = files(/^web\/i18n\/en\/.*\.json$/).flatMap(({ path, text }) =>
    promises(path.replace(/.*\/|\.json$/g, ''), JSON.parse(text)),
  )
  expect([...new Set(found.map(([key]) => key))].sort()).toEqual(Object.keys(TRUE))
  for (const [file = '', title = ''] of Object.values(TRUE))
    expect(readFileSync(join(root, file), 'utf8'), `${file} has no test "${title}"`).toContain(`'${title}'`)
})

test('an outdated false claim would be found', () => {
  const once = {
    promiseVerified: 'Taskers show government ID before they take a job.',
    lead: 'Post the job, choose a verified tasker, and your money is held until you say it is done.',
  }
  expect(promises('auth', once).map(([key]) => key)).toEqual(['auth.promiseVerified', 'auth.lead'])
})
