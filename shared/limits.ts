// Every limit of the specification that a form and the database both hold; the database's twin is checked
// against this file by tests/database. Lengths are in characters, amounts in dollars, ages in years.

export const limits = {
  name: { min: 2, max: 100 },
  email: { max: 255 },
  password: { min: 8 },
  title: { min: 5, max: 200 },
  description: { min: 20, max: 5000 },
  location: { min: 3, max: 200 },
  payAmount: { min: 25, max: 100_000 },
  toolsDescription: { max: 1000 },
  applicationMessage: { max: 1000 },
  chatMessage: { max: 1000 },
  bankAccount: { institution: 3, transit: 5, account: { max: 12 } },
  reviewStars: { min: 1, max: 5 },
  minimumAge: 18,
  /** Earnings in dollars above which tax information is required. */
  taxInformationAbove: 500,
  phone: { max: 50 },
  city: { max: 100 },
  bio: { max: 2000 },
  /** The file a profile photo is made of, in bytes, and the photo's side in pixels. */
  photoFile: { max: 20 * 1024 * 1024, side: 512 },
  skills: { count: 50, length: 60 },
  experienceYears: { max: 80 },
  hourlyRate: { max: 100_000 },
  address: { min: 3, max: 300 },
  durationMinutes: { min: 1, max: 10_080 },
  completionNotes: { max: 2000 },
  cancellationReason: { max: 1000 },
  /** An identity document in bytes, and how many of them. */
  identityDocument: { max: 10 * 1024 * 1024, count: 4 },
  /**
   * A complaint's reason and its answer; the hours after completion in which it is possible, and those after it in which
   * nothing but a release is decided without an answer.
   */
  complaint: { min: 10, max: 2000, hours: 24, answerHours: 48 },
  /** Why a verification is refused or taken back, and why a complaint was decided so. */
  decisionReason: { max: 2000 },
  /** Days after completion on which held money is released although the giver said nothing. */
  releaseAfterDays: 7,
} as const

/** An optional plus, a first digit 1–9, 2 to 15 digits in all (specification 000 §5). */
export const phonePattern = /^\+?[1-9]\d{1,14}$/
