// The error that every reader of the configuration throws.

/** What is wrong with the configuration, one line each, written for the person who starts the server. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}
