// An SQL file that could not be applied, with its name, line and PostgreSQL's own words.

/** `file` is the file's name, `reason` completes the sentence "<file> …". */
export class SqlFileError extends Error {
  readonly file: string

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`)
    this.name = 'SqlFileError'
    this.file = file
  }
}

/** Turns a failure of running `sql` into one that names the file and, where PostgreSQL gives it, the line. */
export function sqlFileError(file: string, sql: string, error: unknown): Error {
  if (!(error instanceof Error) || error instanceof SqlFileError) return error as Error
  const { position, detail, hint, where } = error as {
    [key in 'position' | 'detail' | 'hint' | 'where']?: string
  }
  const extension = /^extension "(.+)" is not available$/.exec(error.message)?.[1]
  if (extension) {
    return new SqlFileError(
      file,
      `the extension "${extension}" is not available in this PostgreSQL\n  The embedded one cannot have it: ` +
        `set DATABASE_URL to a PostgreSQL in which ${extension} is installed, or take it out of the migration`,
    )
  }
  // Where a plain owner runs it: a provider's superuser does, as the migration has it.
  const refused = /^permission denied to create extension "(.+)"$/.test(error.message)
  const line = position ? ` (line ${sql.slice(0, Number(position)).split('\n').length})` : ''
  const wayOut = refused ? 'Have one run this "create extension" in this database, and start again.' : null
  const more = [detail, hint, wayOut, where?.split('\n')[0]].filter(Boolean).map((text) => `\n  ${text}`)
  const named = new SqlFileError(file, `${error.message}${line}${more.join('')}`)
  named.cause = error
  return named
}
