// What an operator edits without touching a screen: contact, social accounts, and every figure that marketing
// copy claims (spec 000 §1 and §9), or that it shows real ones. What is a number is written as the reader's language has it.

export const site = {
  contactEmail: 'hello@meadowlark.example',
  social: {
    Facebook: 'https://www.facebook.com/',
    Instagram: 'https://www.instagram.com/',
    X: 'https://x.com/',
    LinkedIn: 'https://www.linkedin.com/',
  },
} as const

/**
 * What the marketing pages show: the claims below, or what the database counts once a day (docs/operations/figures.md). Build
 * the app anew after a change.
 */
export const FIGURES = 'claimed' as 'claimed' | 'counted'

export const claims = {
  activeUsers: '1000+',
  tasksCompleted: '500+',
  /** Dollars, and people, of whom there are more; stars of five. */
  monthlyEarnings: 2500,
  activeTaskers: 10_000,
  rating: 4.8,
} as const

/**
 * The day from which each legal text is: its readers see the month. The specification's is January 2025; who puts other terms in
 * their place sets their day here, and site.test.ts notices a change without it.
 */
export const legalTextsChanged = { terms: '2025-01-01', privacy: '2025-01-01' } as const
