// The limits of the sign-in and sign-up forms, each on both of its sides (specification 000 §5 and §9).
import { expect, test } from 'vitest'
import { signInSchema, signUpSchema } from './schema.ts'

const valid = {
  fullName: 'Grace',
  email: 'grace@example.com',
  phone: '',
  password: 'Meadowlark1',
  role: 'task_doer',
}
/** The first message about a sign-up with this change; undefined when it is taken. */
const refusal = (change: object) => signUpSchema.safeParse({ ...valid, ...change }).error?.issues[0]?.message
const address = (length: number) => `${'g'.repeat(64)}@${'a.'.repeat(96)}`.slice(0, length - 4).concat('a.ca')
const password = (length: number) => `M1${'m'.repeat(length - 2)}`

test.each([
  [{ fullName: 'G ' }, 'auth.nameTooShort'],
  [{ fullName: 'Gr' }, undefined],
  [{ fullName: 'G'.repeat(100) }, undefined],
  [{ fullName: 'G'.repeat(101) }, 'auth.nameTooLong'],
  [{ email: address(255) }, undefined],
  [{ email: address(256) }, 'auth.emailTooLong'],
  [{ phone: '1' }, 'auth.invalidPhone'],
  [{ phone: '12' }, undefined],
  [{ phone: '+123456789012345' }, undefined],
  [{ phone: '+1234567890123456' }, 'auth.invalidPhone'],
  [{ phone: '0123456' }, 'auth.invalidPhone'],
  [{ password: password(7) }, 'auth.passwordTooShort'],
  [{ password: password(8) }, undefined],
])('a sign-up with %j', (change, message) => {
  expect(refusal(change)).toBe(message)
})

test('the role is that of a giver or of a tasker', () => {
  expect(['task_giver', 'task_doer', 'admin', ''].filter((role) => !refusal({ role }))).toEqual([
    'task_giver',
    'task_doer',
  ])
})

test('a sign-in takes a password of one character', () => {
  const issues = (password: string) => signInSchema.safeParse({ ...valid, password }).error?.issues.length
  expect([issues(''), issues('x')]).toEqual([1, undefined])
})
