// How long the auth service makes people wait between two messages of a kind. GoTrue has it in its sentence alone.

/** The seconds that are left, where the error is such a refusal; else null. */
export function secondsToWait(error: unknown): number | null {
  if (!(error instanceof Error) || !('status' in error) || error.status !== 429) return null
  const seconds = /after (\d+) seconds?/.exec(error.message)?.[1]
  return seconds ? Number(seconds) : null
}
