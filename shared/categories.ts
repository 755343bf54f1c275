// The kinds of tasks (specification 001 §9), in the order in which they are shown. The database's twin is
// private.categories; tests/database/limits.test.ts holds the two equal.

export const categories = [
  'Snow Removal',
  'Cleaning',
  'Moving',
  'Delivery',
  'Handyman',
  'Gardening',
  'Pet Care',
  'Other',
] as const

export type Category = (typeof categories)[number]
