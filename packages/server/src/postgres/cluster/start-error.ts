// PostgreSQL could not be started or stopped, in words for the person who runs the server.

/** The message says what is wrong and what to do; a stack would add nothing. */
export class StartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartError'
  }
}
