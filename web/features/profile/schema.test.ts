// Validation and output of the profile forms (specification 001 §5).
import { expect, test } from 'vitest'
import { basicInfoSchema, settingsSchema } from './schema.ts'

const settings = {
  skills: [],
  preferred_categories: [],
  experience_years: '',
  hourly_rate: '',
  availability_status: 'available' as const,
}
const basic = { full_name: 'Theo Kowalchuk', phone: '', city: '', bio: '', avatar_url: '' }

test.each([
  [{ experience_years: '' }, { experience_years: null }],
  [{ experience_years: '0' }, { experience_years: 0 }],
  [{ experience_years: '12' }, { experience_years: 12 }],
  [{ experience_years: '-1' }, 'profile.experienceInvalid'],
  [{ experience_years: '1.5' }, 'profile.experienceInvalid'],
  [{ hourly_rate: '' }, { hourly_rate: null }],
  [{ hourly_rate: '0' }, { hourly_rate: 0 }],
  [{ hourly_rate: '0.01' }, { hourly_rate: 1 }],
  [{ hourly_rate: '45.505' }, 'ui.amountDecimals'],
  [{ hourly_rate: '-0.01' }, 'profile.hourlyRateInvalid'],
])('settings with %j become %j', (change, result) => {
  const parsed = settingsSchema.safeParse({ ...settings, ...change })
  if (typeof result === 'string') expect(parsed.error?.issues.map(({ message }) => message)).toEqual([result])
  else expect(parsed.data).toEqual({ ...settings, experience_years: null, hourly_rate: null, ...result })
})

test.each([
  [{ phone: 'after six: 306 555 0199' }, null],
  [{ avatar_url: 'https://example.com/theo.png' }, null],
  [{ avatar_url: 'javascript:alert(1)' }, 'profile.avatarInvalid'],
  [{ avatar_url: 'not an address' }, 'profile.avatarInvalid'],
])('basic information with %j: %s', (change, message) => {
  const { success, error } = basicInfoSchema.safeParse({ ...basic, ...change })
  expect([success, error?.issues[0]?.message ?? null]).toEqual([message === null, message])
})
