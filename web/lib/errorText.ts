// What to tell a person about a failure: the service's own words, or plain ones when it could not be reached.
import i18next from 'i18next'

/** The message of an error as a sentence to show. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (!message || /failed to fetch|networkerror|load failed|failed to send a request/i.test(message)) {
    return i18next.t('errors.unreachable')
  }
  return message
}
