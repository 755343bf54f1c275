// The remaining time in the error of an e-mail request.
import { AuthApiError } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { emailedBefore, secondsUntilRetry } from './confirmation.ts'

const refused = (message: string, status = 429) =>
  new AuthApiError(message, status, 'over_email_send_rate_limit')

test('a refusal to send says how long is left; other errors do not', () => {
  expect(
    secondsUntilRetry(refused('For security purposes, you can only request this after 41 seconds.')),
  ).toBe(41)
  expect(secondsUntilRetry(refused('Too many requests'))).toBe(60)
  expect(secondsUntilRetry(refused('after 41 seconds', 500))).toBeNull()
  expect(secondsUntilRetry(new Error('after 41 seconds'))).toBeNull()
})

test('a sign-up right after an e-mail to the address can be sent again; the quota of all e-mails says not when', () => {
  expect(emailedBefore(refused('For security purposes, you can only request this after 41 seconds.'))).toBe(
    41,
  )
  expect(emailedBefore(refused('email rate limit exceeded'))).toBeNull()
  expect(emailedBefore(new Error('after 41 seconds'))).toBeNull()
})
