// The bank form's first message: the first missing part, in the order of the form.
import { expect, test } from 'vitest'
import { bankFormSchema, emptyForm } from './schema.ts'

const asked = { bank: true, person: true, dateOfBirth: true, terms: true }
const first = (values: Partial<typeof emptyForm>) => {
  const issue = bankFormSchema(asked).safeParse({ ...emptyForm, ...values }).error?.issues[0]
  return issue && [issue.path[0], issue.message]
}

test('one thing at a time, from above', () => {
  const bank = { institution: '000', transit: '11000', account: '000123456789' }
  const name = { firstName: 'Theo', lastName: 'Tasker' }
  const home = { address: '12 Elm St', city: 'Saskatoon', postalCode: 'S7K 1N1' }
  expect(first({})).toEqual(['institution', 'payouts.fillIn'])
  expect(first({ ...bank, transit: '1100' })).toEqual(['transit', 'payouts.transitWrong'])
  expect(first(bank)).toEqual(['firstName', 'payouts.personIncomplete'])
  expect(first({ ...bank, ...name })).toEqual(['dateOfBirth', 'payouts.dateOfBirthWrong'])
  expect(first({ ...bank, ...name, dateOfBirth: '1990-02-01' })).toEqual([
    'address',
    'payouts.personIncomplete',
  ])
  const person = { ...bank, ...name, dateOfBirth: '1990-02-01', ...home }
  expect(first(person)).toEqual(['terms', 'payouts.termsRequired'])
  expect(first({ ...person, terms: true })).toBeUndefined()
})
