// Which of Saskatchewan's four seasons a day belongs to; winter is the long one.
export type Season = 'winter' | 'spring' | 'summer' | 'autumn'

/** The season on the prairie: snow November to March, canola June to August. */
export function seasonOf(date: Date): Season {
  const month = date.getMonth() + 1
  if (month >= 11 || month <= 3) return 'winter'
  if (month <= 5) return 'spring'
  return month <= 8 ? 'summer' : 'autumn'
}
