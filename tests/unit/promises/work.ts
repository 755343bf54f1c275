// Promises about money, and about finding and doing work.
import type { Kept } from './kept.ts'

export const MONEY: Kept[] = [
  {
    by: [
      'tests/database/fees.test.ts: agree on every amount',
      'tests/e2e/post-task.spec.ts: the fees are shown before posting, and follow what is typed, whatever the category',
    ],
    texts: [
      'landing.why.open.body',
      'landing.why.share.body',
      'landing.why.example.caption',
      'pages.become.benefits.share.title',
      'pages.become.benefits.share.body',
      'pages.faq.cost.answer',
      'pages.faq.keep.answer',
      'legal.terms.payments.body',
    ],
  },
  {
    by: [
      'tests/database/limits.test.ts: shows the first failure only',
      'marketplace.config.ts: pay = { min: 25',
    ],
    texts: ['pages.faq.minimum.answer', 'legal.terms.tasks.body'],
  },
  {
    by: [
      'tests/database/payments.test.ts: is for the giver of an accepted booking alone',
      'tests/database/payments.test.ts: gives the giver the amounts of the database, the same each time',
    ],
    texts: [
      'landing.cta.body',
      'landing.safety.track.paid.body',
      'pages.how.givers.pay.body',
      'landing.how.doers.propose.body',
      'pages.how.doers.propose.body',
    ],
  },
  {
    by: [
      'tests/database/payments.test.ts: holds the money once, however often and in whatever order it comes',
      'tests/protocol/functions/deno-own.test.ts: pays, holds, releases and pays out: every function of a job under Deno',
      'tests/database/emails.test.ts: a silent giver: reminded, then taken to agree',
      'shared/rules.ts: releaseAfterDays: 7',
    ],
    texts: [
      'auth.promiseEscrow',
      'landing.hero.lead',
      'landing.how.givers.pay.body',
      'landing.safety.escrow.title',
      'landing.safety.escrow.body',
      'landing.safety.track.held.title',
      'landing.safety.track.held.body',
      'landing.safety.track.released.title',
      'landing.safety.track.released.body',
      'pages.become.benefits.paid.title',
      'pages.become.benefits.paid.body',
      'pages.faq.escrow.answer',
      'legal.terms.who.body',
      'pages.how.givers.rate.body',
      'pages.how.safety.escrow.title',
      'pages.how.safety.escrow.body',
      'pages.how.doers.paid.body',
    ],
  },
  {
    by: ['tests/database/bookings.test.ts: lets each actor take the steps of the table, and no more'],
    texts: ['landing.how.doers.hired.body', 'pages.how.doers.accepted.body', 'pages.how.doers.complete.body'],
  },
  {
    by: [
      'tests/protocol/functions/effects.test.ts: a payout is on its way as soon as it is released, without the clock',
      'tests/database/payouts.test.ts: wait for a payout account and go on when it becomes active',
    ],
    texts: ['pages.faq.paid.answer', 'pages.become.steps.startEarning.body', 'auth.roleDoerHint'],
  },
  {
    by: [
      'tests/database/complaints.test.ts: is for the giver of a completed booking, within 24 hours, once',
      'tests/database/complaints.test.ts: freezes the money and notifies the other side',
      'tests/database/complaints.test.ts: against the tasker waits for their answer, or 48 hours',
      'tests/database/complaints.test.ts: is for an admin who is neither of the two',
    ],
    texts: [
      'landing.safety.track.done.body',
      'pages.faq.unhappy.answer',
      'pages.how.safety.complaints.title',
      'pages.how.safety.complaints.body',
      'legal.terms.disputes.body',
    ],
  },
  {
    by: [
      'tests/database/fees.test.ts: agree on every cancellation',
      'tests/protocol/functions/settling.test.ts: by the tasker gives everything back',
      'tests/protocol/functions/settling.test.ts: before paying costs nothing',
    ],
    texts: ['pages.faq.cancel.answer', 'legal.terms.cancel.body'],
  },
]

export const WORK: Kept[] = [
  {
    by: [
      'tests/e2e/live.spec.ts: messages and read ticks arrive in two open windows',
      'tests/e2e/live.spec.ts: an answer to an application shows on the other side, and what left a tab says where it went',
    ],
    texts: ['landing.features.messaging.body', 'landing.features.notifications.body'],
  },
  {
    by: [
      'tests/database/bookings.test.ts: refuses overlapping times of one tasker, also at the same moment; touching ones are fine',
    ],
    texts: ['landing.features.scheduling.body'],
  },
  {
    by: [
      'tests/e2e/bookings.spec.ts: applications for one task are side by side; accepting one says what became of the others',
    ],
    texts: ['pages.how.givers.accept.body'],
  },
  {
    by: [
      'tests/e2e/near.spec.ts: a position is used when asked for, kept on the device, never in the address, and can be forgotten',
      'tests/e2e/near.spec.ts: without a position there is a sentence, and a place works',
      'tests/e2e/task-map.spec.ts: markers open the cards of their tasks by keyboard, and the shown area can be searched',
    ],
    texts: ['landing.features.matching.body'],
  },
  {
    by: [
      "tests/e2e/browse.spec.ts: tasks in a tasker's categories and for their skills come first",
      'tests/e2e/browse.spec.ts: anyone browses; accepting is for taskers',
      'tests/e2e/browse.spec.ts: place, pay and days narrow the list; each has its chip, back undoes, nothing found offers a way on',
    ],
    texts: [
      'landing.how.doers.browse.body',
      'pages.how.doers.browse.body',
      'pages.become.benefits.near.title',
      'pages.become.benefits.near.body',
      'pages.categories.lead',
    ],
  },
  {
    by: [
      'tests/e2e/post-task.spec.ts: a valid task is posted, without a date when none was given',
      'tests/e2e/post-task.spec.ts: a stranger posts a task: written first, posted from the tab of the e-mail',
    ],
    texts: [
      'landing.how.givers.post.body',
      'pages.faq.post.answer',
      'pages.faq.what.answer',
      'auth.taskReadyBody',
      'auth.checkEmailTask',
    ],
  },
  {
    by: ['tests/e2e/auth.spec.ts: after signing up to see a task, the link in the e-mail leads to it, once'],
    texts: ['auth.toSeeTask'],
  },
  {
    by: ['tests/e2e/landing.spec.ts: Enter searches at once while suggestions are shown'],
    texts: ['landing.search.none'],
  },
  {
    by: ['tests/database/bookings.test.ts: is for task doers, for themselves, on open tasks of others'],
    texts: ['pages.become.lead', 'pages.become.benefits.hours.body', 'legal.terms.relationship.body'],
  },
  {
    by: [
      'tests/e2e/offline.spec.ts: tasks, bookings and conversations that were seen are read offline, by their account alone',
    ],
    texts: ['pages.install.offline.title', 'pages.install.offline.body'],
  },
  {
    by: [
      'tests/e2e/installed.spec.ts: a push is shown by the worker, and a click opens its subject in the app',
    ],
    texts: ['pages.install.notifications.body'],
  },
  {
    by: [
      'tests/e2e/pages.spec.ts: installing where the browser offers it: its prompt, once; nothing once it runs by itself',
      'web/public/manifest.webmanifest: "display": "standalone"',
    ],
    texts: [
      'pages.install.offered',
      'pages.install.quick.title',
      'pages.install.quick.body',
      'pages.install.lead',
      'pages.install.leadDesktop',
    ],
  },
]
