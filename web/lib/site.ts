// What an operator edits without touching a screen: contact, social accounts, and every figure that marketing
// copy claims (spec 000 §1 and §9). Figures are claims, not measurements.

export const site = {
  contactEmail: 'hello@meadowlark.example',
  social: {
    Facebook: 'https://www.facebook.com/',
    Instagram: 'https://www.instagram.com/',
    X: 'https://x.com/',
    LinkedIn: 'https://www.linkedin.com/',
  },
} as const

export const claims = {
  activeUsers: '1000+',
  tasksCompleted: '500+',
  monthlyEarnings: '$2,500+',
  activeTaskers: '10,000+',
  rating: '4.8/5',
} as const

/** Tasks shown on the tiles of /categories; a static count each, as the specification has it. */
export const categoryTaskCounts = {
  'Snow Removal': 245,
  Cleaning: 189,
  'Moving & Delivery': 156,
  Assembly: 98,
  'Mounting & Installation': 87,
  'Outdoor Help': 134,
  'Home Repairs': 167,
  Painting: 76,
  'Pet Care': 112,
  'Auto Services': 54,
  'Tech Support': 63,
  'Shopping & Errands': 91,
  'Meal Prep': 42,
  Tutoring: 58,
  Photography: 37,
  'General Labor': 203,
} as const
