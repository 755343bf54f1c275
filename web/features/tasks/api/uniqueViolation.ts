// PostgreSQL's code for a row that exists already.
export const UNIQUE_VIOLATION = '23505'
