// The figures and names that the specification gives (000 §5, §9 and 001 §5, §6, §9). The database has them in private.rules()
// and private.marketplace(); tests/database/types.test.ts compares shared/rules.ts with the first.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as marketplace from '../../marketplace.config.ts'
import { generatedFiles } from '../../scripts/marketplace.mjs'
import { rules } from '../../shared/rules.ts'
import { root } from '../support/sources.ts'

test('fees, points, categories and limits are those of the specification', () => {
  expect(marketplace).toMatchObject({
    fees: {
      platformPercent: 15,
      cancellation: [
        { underHours: 1, percent: 50 },
        { underHours: 24, percent: 25 },
      ],
      cancellationFlatCents: 500,
    },
    tax: { percent: 5, name: { en: 'GST' } },
    pay: { min: 25, max: 100_000 },
    currency: { code: 'CAD' },
    clock: { timeZone: 'America/Regina' },
    province: { code: 'SK', country: 'CA', names: { en: { name: 'Saskatchewan' } } },
  })
  expect(rules).toMatchObject({
    recommendation: { preferredCategory: 10, skill: 5 },
    categories: [
      ...['Snow Removal', 'Cleaning', 'Moving', 'Delivery'],
      ...['Handyman', 'Gardening', 'Pet Care', 'Other'],
    ],
    languages: ['en', 'es', 'fr', 'de', 'hi', 'zh', 'ru', 'ar', 'pt', 'id'],
    limits: {
      name: { min: 2, max: 100 },
      email: { max: 255 },
      password: { min: 8 },
      title: { min: 5, max: 200 },
      description: { min: 20, max: 5000 },
      location: { min: 3, max: 200 },
      toolsDescription: { max: 1000 },
      applicationMessage: { max: 1000 },
      chatMessage: { max: 1000 },
      reviewStars: { min: 1, max: 5 },
      complaint: { hours: 24 },
      minimumAge: 18,
      taxInformationAbove: 500,
      bankAccount: { institution: 3, transit: 5, account: { max: 12 } },
    },
  })
})

test.each(await generatedFiles())('%s is current (npm run marketplace writes it)', (path, content) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(content)
})
