// "Perhaps you meant …": finds the name nearest to a misspelled one, scored as PostgREST scores it
// (the fuzzy-set algorithm: cosine of letter trigrams to choose candidates, edit distance to rank them).

export type Match = { name: string; score: number }

/** Candidates in order of likeness, best first, with scores from `minimum` to 1. */
export function closest(names: readonly string[], wanted: string, minimum = 0.33): Match[] {
  // Nothing a person misspells is longer, and the distance grows with the product of the lengths.
  if (wanted.length > 200) return []
  const target = wanted.toLowerCase()
  for (const size of [3, 2]) {
    const found = candidates(names, target, size)
      .map((name) => ({ name, score: likeness(name.toLowerCase(), target) }))
      .filter(({ score }) => score >= minimum)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    if (found.length > 0) return found
  }
  return []
}

/** The best candidate's name, if any is like enough. */
export function closestName(names: readonly string[], wanted: string, minimum?: number): string | undefined {
  return closest(names, wanted, minimum)[0]?.name
}

/** The names that share enough letter groups with the wanted one to be worth an edit distance. */
function candidates(names: readonly string[], target: string, size: number): string[] {
  const wanted = grams(target, size)
  const scored: Match[] = []
  for (const name of new Set(names)) {
    const score = cosine(wanted, grams(name.toLowerCase(), size))
    if (score > 0) scored.push({ name, score })
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, 50)
    .map(({ name }) => name)
}

function grams(text: string, size: number): Map<string, number> {
  const simplified = `-${text.replace(/[^a-zA-Z0-9\u00C0-\u00FF, ]+/g, '')}-`.padEnd(size, '-')
  const found = new Map<string, number>()
  for (let at = 0; at + size <= simplified.length; at++) {
    const gram = simplified.slice(at, at + size)
    found.set(gram, (found.get(gram) ?? 0) + 1)
  }
  return found
}

function cosine(a: Map<string, number>, b: Map<string, number>): number {
  let product = 0
  for (const [gram, count] of a) product += count * (b.get(gram) ?? 0)
  return product === 0 ? 0 : product / (magnitude(a) * magnitude(b))
}

function magnitude(vector: Map<string, number>): number {
  let sum = 0
  for (const count of vector.values()) sum += count * count
  return Math.sqrt(sum)
}

/** 1 for equal texts, 0 for texts with nothing in common. */
function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[j] as number) + 1, (current[j - 1] as number) + 1))
    }
    previous = current
  }
  return previous[b.length] as number
}
