// Visible text: characters that show nothing do not count. The database's twins are private.trimmed and
// private.visible_length, for names private.plain_name and private.forged_badge; tests/database/text.test.ts compares
// them character by character.

/** White space, as String.prototype.trim has it. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
/** Unicode's controls, its default ignorable code points and the blank of Braille. */
const HIDDEN =
  '\\0-\\x08\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f' +
  '\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}' +
  '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

const allHidden = new RegExp(`^[${SPACE}${HIDDEN}]*$`, 'u')
const eachHidden = new RegExp(`[${HIDDEN}\\ufeff]`, 'gu')

/** The text without white space around it; '' when no character of it can be seen. */
export function trimmed(text: string): string {
  return allHidden.test(text) ? '' : text.trim()
}

/** How many characters there are, those that show nothing not counted: an emoji is one, whatever JavaScript makes of it. */
export function visibleLength(text: string): number {
  return [...text.replace(eachHidden, '')].length
}

const hiddenInNames = new RegExp(`(?![\\u200c\\u200d\\ufe0f])[${HIDDEN}]`, 'gu')
const spaces = new RegExp(`[${SPACE}]+`, 'gu')
const FORGED_BADGE = /[\u2705\u2611\u2713\u2714\u{1f5f8}\u{1f5f9}]/u

/** A name as it is kept: without characters that show nothing (joiners aside) and with single blanks. */
export function plainName(name: string): string {
  return trimmed(name.replace(hiddenInNames, '').replace(spaces, ' '))
}

/** Whether a name contains what would pass for the verified badge. */
export function looksVerified(name: string): boolean {
  return FORGED_BADGE.test(name)
}

/** Whether two names are the same but for case, blanks and characters that show nothing: the badge stays with them. */
export function sameName(one: string, other: string): boolean {
  return plainName(one).toLowerCase() === plainName(other).toLowerCase()
}
