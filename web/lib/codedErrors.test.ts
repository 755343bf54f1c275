// An error is worded by its code in the reader's language, whichever service answered it.
import { AuthApiError, PostgrestError, StorageApiError } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codedErrorText, openErrors } from '../i18n/databaseTexts.ts'
import { startI18n } from '../i18n/index.ts'
import { codedErrorOf, translatedRefusal } from './codedErrors.ts'
import { errorText } from './errorText.ts'
import { FunctionFailure } from './functions.ts'

const original = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
beforeAll(async () => {
  Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true })
  await startI18n('de')
  await openErrors()
})
afterAll(async () => {
  await startI18n('en')
  if (original) Object.defineProperty(globalThis, 'navigator', original)
  else Reflect.deleteProperty(globalThis, 'navigator')
})

const refused = (detail: object | string, message = 'In English', code = 'P0001') =>
  new PostgrestError({
    message,
    hint: '',
    code,
    details: typeof detail === 'string' ? detail : JSON.stringify(detail),
  })

test('a rule of the database, with an amount and with a number', () => {
  expect(errorText(refused({ code: 'task.pay_too_low', params: { min: 25 } }))).toBe(
    'Die Bezahlung muss mindestens 25\u00a0$ betragen',
  )
  expect(errorText(refused({ code: 'booking.price_changed', params: { price: 25.5 } }))).toContain(
    '25,50\u00a0$',
  )
  expect(errorText(refused({ code: 'photo.too_many', params: { max: 5 } }))).toBe('Höchstens 5 Fotos')
})

test('a refusal of a function', () => {
  const coded = { code: 'payment.already_paid', params: {} }
  expect(errorText(new FunctionFailure(409, 'This booking is already paid', { coded }))).toBe(
    'Diese Buchung ist schon bezahlt',
  )
})

test('a rule at sign-up, and a refusal of the auth service itself', () => {
  const name = new AuthApiError('In English', 422, 'profile.name_address')
  expect(errorText(name)).toBe('Der Name darf keine Web- oder E-Mail-Adresse enthalten')
  expect(errorText(new AuthApiError('In English', 422, 'same_password'))).toMatch(/^Das neue Passwort/)
  const soon = 'For security purposes, you can only request this after 41 seconds.'
  expect(errorText(new AuthApiError(soon, 429, 'over_email_send_rate_limit'))).toContain('41')
})

test('a refusal of the storage service is worded before its client reads it', async () => {
  const body = { statusCode: '403', error: 'Unauthorized', message: 'In English' }
  const coded = { ...body, code: 'file.too_many', params: { count: 4 } }
  const answer = await (await translatedRefusal(Response.json(coded, { status: 400 }), codedErrorText)).json()
  const error = new StorageApiError(answer.message, 400, answer.statusCode || answer.code)
  expect(errorText(error)).toMatch(/^Du hast hier 4 Dateien gespeichert/)
  const plain = Response.json(body, { status: 400 })
  expect(await translatedRefusal(plain, codedErrorText)).toBe(plain)
  expect(errorText(new StorageApiError('new row violates …', 400, '403'))).toBe('Dein Konto darf das nicht.')
})

test('a refusal of the storage service in English keeps its message', async () => {
  const body = { statusCode: '403', error: 'Unauthorized', message: 'You have stored 4 files here.' }
  const coded = { ...body, code: 'file.too_many', params: { count: 4 } }
  const response = await translatedRefusal(Response.json(coded, { status: 400 }), () => undefined)
  expect(await response.json()).toEqual({ code: 'file.too_many', message: 'You have stored 4 files here.' })
})

test('an error without words in the language is shown as it was answered', () => {
  expect(errorText(refused({ code: 'search.sort_unknown', params: {} }))).toBe('In English')
  expect(errorText(refused({ code: 'project.rule_of_its_own', params: {} }))).toBe('In English')
  expect(errorText(refused('It is on the list'))).toBe('In English')
})

test('details that are no JSON of a code are none', () => {
  for (const details of ['{', '{}', '{"code": 5}', 'null', 'Key (id)=(1) exists'])
    expect(codedErrorOf(refused(details))).toBeNull()
  expect(codedErrorOf(new Error('x'))).toBeNull()
  expect(codedErrorOf(null)).toBeNull()
})
