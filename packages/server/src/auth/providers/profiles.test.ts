// Profiles of providers that deviate from the standard.
import { expect, test } from 'vitest'
import { appleProfile, azureProfile, profileOf, standardProfile } from './profiles.ts'

test('Apple sends the name along with the code, and booleans as text', () => {
  const user = JSON.stringify({ name: { firstName: 'Grace', lastName: 'Field' } })
  const { emails, data } = appleProfile(
    { sub: '1', email: 'grace@example.com', email_verified: 'true', is_private_email: 'true' },
    user,
  )
  expect(emails).toEqual([{ address: 'grace@example.com', verified: true, primary: true }])
  expect(data).toMatchObject({ full_name: 'Grace Field', custom_claims: { is_private_email: true } })
  expect(appleProfile({ sub: '1' }, 'no JSON').data).not.toHaveProperty('name')
})

test.each([
  ['any tenant', 'https://login.microsoftonline.com/{tenantid}/v2.0', {}, false],
  [
    'any tenant, which owns the domain',
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    { xms_edov: '1' },
    true,
  ],
  [
    'Microsoft’s own accounts',
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    { tid: '9188040d-6c67-4c5b-b112-36a304b66dad' },
    true,
  ],
  ['the project’s own tenant', 'https://login.microsoftonline.com/ours/v2.0', {}, true],
  [
    'its own tenant, which does not own the domain',
    'https://login.microsoftonline.com/ours/v2.0',
    { xms_edov: false },
    false,
  ],
])('Microsoft’s addresses are proved or not: %s', (_case, issuer, more, verified) => {
  const { emails } = azureProfile({ sub: '1', email: 'grace@example.com', ...more }, issuer)
  expect(emails[0]?.verified).toBe(verified)
})

test('values that are no address, no text or too long are left out', () => {
  const { emails, data } = standardProfile({
    sub: 5,
    email: 'grace',
    email_verified: true,
    role: 'admin',
    phone: 'x',
    name: `a\0${String.fromCharCode(0xd800)}b`,
    picture: 'x'.repeat(3000),
    locale: { en: 1 },
  })
  expect(emails).toEqual([])
  expect(data).toEqual({
    sub: '5',
    provider_id: '5',
    name: 'ab',
    full_name: 'ab',
    email_verified: false,
    phone_verified: false,
  })
  expect(profileOf({}, []).providerId).toBe('')
})
