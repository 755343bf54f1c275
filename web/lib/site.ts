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
