// Whether a request's conditions let it through: RFC 9110, section 13, in its order of precedence.

/** Validators of a representation. `etag` is strong and in double quotes. */
export interface Validators {
  etag: string
  lastModified: Date
}

type RequestHeaders = Record<string, string | undefined>

/** 412 and 304 as the conditions demand, otherwise null: answer with the content. */
export function failedCondition(headers: RequestHeaders, validators: Validators): 412 | 304 | null {
  const modified = wholeSeconds(validators.lastModified)
  const ifMatch = headers['if-match']
  const ifUnmodifiedSince = instant(headers['if-unmodified-since'])
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, validators.etag, 'strong')) return 412
  } else if (ifUnmodifiedSince !== null && modified > ifUnmodifiedSince) return 412
  const ifNoneMatch = headers['if-none-match']
  const ifModifiedSince = instant(headers['if-modified-since'])
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, validators.etag, 'weak') ? 304 : null
  return ifModifiedSince !== null && modified <= ifModifiedSince ? 304 : null
}

/** Whether a range may be answered with a part: If-Range is absent, or names exactly this representation. */
export function rangeHolds(headers: RequestHeaders, { etag, lastModified }: Validators): boolean {
  const ifRange = headers['if-range']?.trim()
  if (!ifRange) return true
  if (/^(W\/)?"/.test(ifRange)) return ifRange === etag
  return instant(ifRange) === wholeSeconds(lastModified)
}

/** `weak` comparison takes a validator that a compressing proxy has weakened for the same one. */
function matches(list: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

/** HTTP dates have no fractions of a second. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** Milliseconds; null for no date, and for one that cannot be read, which counts as none. */
function instant(date: string | undefined): number | null {
  const time = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(time) ? null : time
}
