// The sentences that promise something to a person (time, money, checks, answers, privacy), next to what makes them true.
// A proof is `file: title of a test`, `file: a line of a setting` or, for the operator's own word, `page: heading`.

import { PEOPLE, SIGN_IN } from './people.ts'
import { MONEY, WORK } from './work.ts'

export type Kept = { by: string[]; texts: string[] }

const OPERATOR: Kept[] = [
  {
    by: ['marketplace.config.ts: contactEmail'],
    texts: [
      'landing.safety.support.title',
      'landing.safety.support.body',
      'pages.faq.moreBody',
      'legal.contact',
    ],
  },
  {
    by: [
      'docs/operations/privacy.md: ## Changed terms and privacy policy',
      'docs/operations/privacy.md: ## A breach',
      'tests/database/people.test.ts: makes one profile and one role',
    ],
    texts: ['legal.terms.law.body', 'legal.privacy.changes.body', 'legal.privacy.security.body'],
  },
  {
    by: [
      'marketplace.config.ts: figures',
      'tests/database/public-figures.test.ts: are rounded down, and none of fewer than ten people',
    ],
    texts: [
      'landing.why.users',
      'landing.why.tasks',
      'pages.become.stats.earnings',
      'pages.become.stats.taskers',
      'pages.become.stats.rating',
    ],
  },
]

export const kept: Kept[] = [...MONEY, ...PEOPLE, ...WORK, ...SIGN_IN, ...OPERATOR]
