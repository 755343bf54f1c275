// Whether a request's conditions let it through: RFC 9110, section 13, in its order of precedence.

/** What a representation is recognised by. `etag` is strong and in double quotes. */
export interface Validators {
  etag: string
  lastModified: Date
}

/** 412 and 304 as the conditions demand, otherwise null: answer with the content. */
export function failedCondition(headers: Headers, validators: Validators): 412 | 304 | null {
  const modified = wholeSeconds(validators.lastModified)
  const ifMatch = headers.get('if-match')
  const ifUnmodifiedSince = instant(headers.get('if-unmodified-since'))
  if (ifMatch !== null) {
    if (!names(ifMatch, validators.etag, 'strong')) return 412
  } else if (ifUnmodifiedSince !== null && modified > ifUnmodifiedSince) return 412
  const ifNoneMatch = headers.get('if-none-match')
  const ifModifiedSince = instant(headers.get('if-modified-since'))
  if (ifNoneMatch !== null) return names(ifNoneMatch, validators.etag, 'weak') ? 304 : null
  return ifModifiedSince !== null && modified <= ifModifiedSince ? 304 : null
}

/** Whether a range may be answered with a part: If-Range is absent, or names exactly this representation. */
export function rangeHolds(headers: Headers, { etag, lastModified }: Validators): boolean {
  const ifRange = headers.get('if-range')?.trim()
  if (!ifRange) return true
  if (/^(W\/)?"/.test(ifRange)) return ifRange === etag
  return instant(ifRange) === wholeSeconds(lastModified)
}

/** `weak` comparison takes a validator that a compressing proxy has weakened for the same one. */
function names(list: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

/** HTTP dates have no fractions of a second. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** Milliseconds; null for no date, and for one that cannot be read, which counts as none. */
function instant(date: string | null): number | null {
  const time = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(time) ? null : time
}
