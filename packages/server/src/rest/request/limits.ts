// Bounds on what one request may ask for: generous for people, closed for floods.

/** Characters of a URL. */
export const MAX_URL = 16_000
/** Bytes of a request body: some ten thousand rows. More is refused before it is read. */
export const MAX_BODY = 10 * 1024 * 1024
/** Levels of nested embeds and of nested and/or. */
export const MAX_DEPTH = 20
/** Levels of brackets in a JSON body; PostgreSQL's parser has its own limit, with a less helpful error. */
export const MAX_JSON_DEPTH = 500
/** Columns and embeds in one `select`; PostgreSQL allows 1664 result columns. */
export const MAX_SELECTED = 1000
/** Parameters of a query string. */
export const MAX_PARAMETERS = 1000
/** Rows that are counted for an estimate where the planner's guess would be about rows that the caller may not see. */
export const MAX_COUNTED = 100_000
