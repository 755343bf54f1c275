// Promises about identity, privacy and accounts.
import type { Kept } from './kept.ts'

export const PEOPLE: Kept[] = [
  {
    by: [
      'tests/e2e/bookings.spec.ts: an unverified tasker is marked on the card, before the acceptance, in the chat and on the profile',
      'tests/database/privacy.test.ts: is verified by an admin with time and name, and keeps the notes when that is taken back',
    ],
    texts: [
      'auth.promiseVerified',
      'landing.how.givers.proposals.body',
      'landing.safety.verified.title',
      'landing.safety.verified.body',
      'pages.how.givers.review.body',
      'pages.how.safety.verified.title',
      'pages.how.safety.verified.body',
      'legal.terms.account.body',
    ],
  },
  {
    by: [
      'tests/database/discovery.test.ts: lists verified taskers, best first, by name, skill or bio',
      'tests/database/badge.test.ts: needs a picture of the ID and the word that it shows this person',
      'tests/database/badge.test.ts: loses the badge until an admin has looked again, and both are notified',
      'tests/database/badge.test.ts: also for an admin’s own word, which lists nobody and says nothing of an ID',
    ],
    texts: [
      'landing.safety.id.title',
      'landing.safety.id.body',
      'pages.become.steps.getVerified.body',
      'pages.faq.verified.answer',
      'pages.how.doers.reputation.body',
      'verification.subtitle',
      'verification.documentsHint',
      'verification.noDocumentYet',
      'verification.submittedBody',
    ],
  },
  {
    by: [
      'tests/database/verifications.test.ts: is for admins, and shows on the tasker',
      'tests/database/verifications.test.ts: shows until its last day, and ends by itself',
    ],
    texts: [
      'landing.safety.background.title',
      'landing.safety.background.body',
      'landing.safety.insurance.body',
      'pages.faq.insurance.answer',
      'verification.backgroundConsentHint',
    ],
  },
  {
    by: [
      'tests/database/reviews.test.ts: is for the two parties of a completed booking, once each',
      'tests/database/reviews.test.ts: counts both sides at once, also when they write at the same moment',
      'tests/database/trust.test.ts: starts at 50 and moves by its formula',
      'tests/database/trust.test.ts: is earned at its boundary and not before',
    ],
    texts: [
      'auth.promiseReviews',
      'landing.features.reviews.body',
      'landing.features.badges.body',
      'landing.how.doers.reputation.body',
      'pages.become.benefits.grow.title',
      'pages.become.benefits.grow.body',
      'legal.terms.conduct.body',
    ],
  },
  {
    by: [
      'tests/database/privacy.test.ts: opens to the counterpart at acceptance and closes at cancellation',
      'tests/database/privacy.test.ts: is for the giver, and for the tasker from acceptance on',
      'tests/database/visibility.test.ts: is seen by everybody while a task of theirs is open and shown',
      'tests/database/visibility.test.ts: is nobody to strangers without something public: newcomers, admins, the hidden, in no list and by no id',
    ],
    texts: [
      'landing.how.givers.connect.body',
      'pages.how.givers.communicate.body',
      'pages.how.safety.privacy.title',
      'pages.how.safety.privacy.body',
      'pages.faq.privacy.answer',
      'legal.privacy.others.body',
    ],
  },
  {
    by: [
      'tests/database/points.test.ts: keeps the exact point for the giver, the accepted tasker and admins',
      'tests/database/points.test.ts: shows the same for each point of a cell, so many changes tell no more than one',
      'tests/database/points.test.ts: stores of a travel area only its cell, for nobody but its tasker',
      'tests/database/saved-searches.test.ts: near a device stores the centre of the cell only, and is the same search from all of the cell',
      'tests/database/travel.test.ts: is within or beyond for each place',
      'tests/e2e/near.spec.ts: a position is used when asked for, kept on the device, never in the address, and can be forgotten',
    ],
    texts: ['legal.privacy.positions.body'],
  },
  {
    by: [
      'tests/database/calendars.test.ts: has 32 random bytes, is read by its person alone, and a new one ends it at once',
      'tests/database/calendars.test.ts: is turned off by its person alone',
      'tests/database/calendars.test.ts: begin with the agreement, on both sides, with the place and the other’s name',
      'tests/database/imported-calendars.test.ts: is read by nobody else',
      'tests/database/imported-calendars.test.ts: is not offered as free, without the time between jobs, until the calendar is removed',
      'tests/protocol/functions/read-calendars.test.ts: its busy times are stored without titles, replaced, kept while nothing changes, and a failure has a code',
    ],
    texts: ['legal.privacy.calendars.body'],
  },
  {
    by: [
      'tests/database/verifications.test.ts: is read by the person and admins alone',
      'tests/database/notes.test.ts: outlive the person’s own changes, and are not theirs to write',
      'tests/e2e/verification.spec.ts: a picture of the ID is handed in; only its person and Ada open it',
    ],
    texts: ['legal.privacy.verification.body', 'verification.legalNameHint'],
  },
  {
    by: [
      'tests/database/people.test.ts: keep four digits at most',
      'tests/e2e/payment.spec.ts: paying before the card entry is there, or with a card that is not whole, says so and sends nothing',
    ],
    texts: ['legal.privacy.payments.body'],
  },
  {
    by: [
      'tests/e2e/payout.spec.ts: a wrong number and a wrong address are said at their fields; the provider asks for the rest itself',
    ],
    texts: ['verification.sinHint'],
  },
  {
    by: [
      'tests/database/account-deletion.test.ts: leaves no name, address, number or file of theirs in any table',
      'tests/database/accounts.test.ts: afterwards keeps the money records and nothing personal',
      'tests/database/account-deletion.test.ts: waits for money and complaints, and says for which; the last administrator stays',
      'tests/e2e/account.spec.ts: a copy of one’s data is downloaded, and the account deleted after the address and the password',
    ],
    texts: ['legal.privacy.keep.body', 'legal.privacy.rights.body', 'legal.terms.ending.body'],
  },
  {
    by: [
      'tests/e2e/verification-reload.spec.ts: a reload keeps the answers but not who one is, and says so',
      'tests/e2e/offline.spec.ts: tasks, bookings and conversations that were seen are read offline, by their account alone',
      'tests/e2e/visitor-offline.spec.ts: a stranger opens again what they have opened, with the tasks they saw; the rest says what is lacking',
    ],
    texts: ['legal.privacy.cookies.body', 'verification.startsOver', 'verification.insurancePolicyHint'],
  },
]

export const SIGN_IN: Kept[] = [
  {
    by: [
      'tests/e2e/mail-links.spec.ts: a confirmation link survives a scanner of mail, and is used up by one press of its button',
      'packages/server/tests/auth/emails.test.ts: confirms an address that was not confirmed yet',
    ],
    texts: [
      'confirmLink.note',
      'confirmLink.signup.body',
      'confirmLink.signup.spent',
      'confirmLink.recovery.body',
    ],
  },
  {
    by: [
      'tests/e2e/providers.spec.ts: somebody new goes on with Google, finishes the account, and comes back',
    ],
    texts: ['finish.body'],
  },
  {
    by: ['tests/e2e/auth.spec.ts: sign-up shows only the first failure, in the order of the form'],
    texts: ['pages.become.cta.body'],
  },
  {
    by: [
      'tests/e2e/auth.spec.ts: signing up asks for a confirmation, turns to Sign In, and lets in only after the link',
      'tests/e2e/mail-links.spec.ts: the code of the e-mail confirms the address where it was typed, a wrong one says so',
    ],
    texts: [
      'auth.checkEmailBody',
      'auth.resentBody',
      'auth.confirmCodeHint',
      'mail.confirmation.body',
      'mail.code',
      'mail.confirmation.note',
    ],
  },
  {
    by: [
      'web/features/auth/confirmation.test.ts: a refusal to send says how long is left; other errors do not',
    ],
    texts: ['auth.signUpTooSoon', 'auth.sendAgainIn'],
  },
  {
    by: ['tests/e2e/mail-links.spec.ts: a forgotten password is replaced through the e-mail'],
    texts: [
      'auth.forgotBody',
      'auth.forgotSentBody',
      'mail.recovery.body',
      'mail.recovery.note',
      'auth.newPasswordSavedBody',
    ],
  },
  {
    by: ['packages/server/tests/auth/emails.test.ts: an email is good for one hour'],
    texts: ['mail.once', 'mail.onceLink', 'mail.reauthentication.note'],
  },
  {
    by: [
      'tests/e2e/account.spec.ts: a new password, a new address, and a device signed out from elsewhere, which notices',
    ],
    texts: ['mail.email_change.body', 'mail.password_changed.body'],
  },
  {
    by: [
      'tests/protocol/auth/second-step.test.ts: a recovery code signs in who has lost the device, and the rest is signed out',
      'tests/e2e/second-factor.spec.ts: a security key is added, asked for at sign-in, and removed; one that a thief added goes by a reset',
    ],
    texts: [
      'auth.recoveryBody',
      'auth.recoveredBody',
      'auth.notMineBody',
      'auth.notMineByEmail',
      'mail.mfa_factor_enrolled.body',
      'mail.mfa_factor_enrolled.note',
    ],
  },
  {
    by: [
      'tests/database/suspensions.test.ts: is mailed with its reason, and so is what goes on; a ban by other means is not',
    ],
    texts: ['auth.suspended'],
  },
  {
    by: ['tests/e2e/passkeys.spec.ts: a passkey is added, signs in without a password, and is removed'],
    texts: ['mail.passkey_added.body', 'mail.magic_link.body'],
  },
  {
    by: [
      'tests/database/email-preferences.test.ts: payments and complaints always come, and nobody chooses for somebody else',
      'tests/e2e/emails.spec.ts: Theo turns e-mails off and on by kind; the Security tab shows it as a whole',
    ],
    texts: ['emails.required', 'legal.privacy.use.body'],
  },
]
