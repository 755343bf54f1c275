// The error that every reader of the configuration throws.

/** Problems of the configuration, one line each, for the person who starts the server. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}
