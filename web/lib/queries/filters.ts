// Search by what people type, as PostgREST filters.

const mostWords = 8

/** For each word one value for `.or()`: the word stands in one of the columns, whatever its case. */
export function matchingEveryWord(text: string, columns: string[]): string[] {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, mostWords)
  return words.map((word) => matchingPhrase(word, columns))
}

/** A value for `.or()`: the phrase stands in one of the columns. `%`, `_` and quotes in it stand for themselves. */
export function matchingPhrase(phrase: string, columns: string[]): string {
  const pattern = `%${phrase.replace(/[\\%_]/g, '\\$&')}%`
  const quoted = `"${pattern.replace(/[\\"]/g, '\\$&')}"`
  return columns.map((column) => `${column}.ilike.${quoted}`).join(',')
}
