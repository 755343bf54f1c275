// Text as searches compare it: without case, accents, or differences between quotation marks, dashes and encodings of the
// same character. The database's twin is private.search_text; tests/database/search-text.test.ts keeps the two equal.

const DOUBLE_QUOTES = /[\u00ab\u00bb\u201c-\u201f\u2033\u2036\u301d-\u301f]/g
const SINGLE_QUOTES = /[`\u00b4\u02b9\u02bb-\u02bf\u02c8\u2018-\u201b\u2032\u2035\u2039\u203a]/g
/** Accents, the vowel points of Hebrew and Arabic, and characters that show nothing. */
const IGNORED =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\ufe00-\ufe0f\ufeff]+/g
const DASHES = /[\u2010-\u2015\u2043\u2212]/g
/** Letters and signs that Unicode does not decompose. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  '\u2044': '/',
}
const EACH_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
/** Parts of Korean syllables and of Japanese voiced sounds, which are put together again. */
const PARTS = /[\u1100-\u11ff\u3099\u309a]/

/** The form of `text` in which it is compared with another; not for display. */
export function searchText(text: string): string {
  const folded = text
    .replace(DOUBLE_QUOTES, '"')
    .replace(SINGLE_QUOTES, "'")
    .normalize('NFKD')
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(DASHES, '-')
    .replace(EACH_LETTER, (letter) => LETTERS[letter] ?? letter)
  return PARTS.test(folded) ? folded.normalize('NFC') : folded
}
