// Search by what people type, as PostgREST filters.

const MAX_WORDS = 8

/** For each word one value for `.or()`: the word stands in one of the columns, whatever its case. */
export function everyWordFilters(text: string, columns: string[]): string[] {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  return words.map((word) => phraseFilter(word, columns))
}

/** A value for `.or()`: the phrase stands in one of the columns. `%`, `_` and quotes in it stand for themselves. */
export function phraseFilter(phrase: string, columns: string[]): string {
  const pattern = `%${phrase.replace(/[\\%_]/g, '\\$&')}%`
  const quoted = `"${pattern.replace(/[\\"]/g, '\\$&')}"`
  return columns.map((column) => `${column}.ilike.${quoted}`).join(',')
}
