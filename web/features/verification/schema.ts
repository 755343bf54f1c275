// The rules of each step of the wizard (specification 000 §2, §5); messages are text keys.
import { differenceInYears, format, subYears } from 'date-fns'
import { limits } from '../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../shared/text.ts'
import { currentLanguage, type TextKey } from '../../i18n/index.ts'
import type { Language } from '../../i18n/languages.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

export const ID_TYPES = ['driver_license', 'passport', 'health_card'] as const

/** Whole years between a date of birth (YYYY-MM-DD) and `now`; NaN when it is not a date. */
export function ageOf(dateOfBirth: string, now = new Date()): number {
  return differenceInYears(now, new Date(`${dateOfBirth}T00:00:00`))
}

/** The last date of birth of someone who is old enough, as a date input takes it. */
export function latestDateOfBirth(now = new Date()): string {
  return format(subYears(now, limits.minimumAge), 'yyyy-MM-dd')
}

const legal = z.object({
  terms_accepted: z.literal(true, key('verification.termsRequired')),
  privacy_accepted: z.literal(true, key('verification.privacyRequired')),
  legal_name: z
    .string()
    .overwrite(trimmed)
    .refine((name) => visibleLength(name) >= limits.name.min, key('verification.legalNameRequired'))
    .max(limits.name.max, key('verification.legalNameTooLong')),
  date_of_birth: z
    .string()
    .min(1, key('verification.dateOfBirthRequired'))
    .refine((date) => ageOf(date) >= limits.minimumAge, key('verification.tooYoung')),
})

const identity = z.object({
  id_type: z.enum(ID_TYPES, key('verification.idTypeRequired')),
  background_check_consent: z.boolean(),
})

const skills = z.object({
  has_insurance: z.boolean(),
  insurance_provider: z.string().trim().max(200, key('verification.insuranceTooLong')),
  insurance_policy_number: z.string().trim().max(100, key('verification.insuranceTooLong')),
  insurance_expiry_date: z.string(),
  // They become the profile's, so they keep its limits.
  skills: z
    .string()
    .refine(
      (typed) =>
        listOf(typed).length <= limits.skills.count &&
        listOf(typed).every((skill) => [...skill].length <= limits.skills.length),
      key('verification.skillsTooMany'),
    ),
  certifications: z.string().max(2000, key('verification.listTooLong')),
})

const tax = z.object({ sin_provided: z.boolean() })

const stepRules = [legal, identity, skills]
const allRules = z.object({ ...legal.shape, ...identity.shape, ...skills.shape, ...tax.shape })

/** The step that these answers lead to: the first whose rules they break, or the last. */
export function firstIncompleteStep(answers: Answers): number {
  const broken = stepRules.findIndex((rules) => !rules.safeParse(answers).success)
  return broken < 0 ? stepRules.length : broken
}

/** The rules for leaving a step forwards; the last step checks everything. */
export const stepSchema = (step: number) =>
  z.custom<Answers>().superRefine((answers, context) => {
    const { error } = (stepRules[step] ?? allRules).safeParse(answers)
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message })
  })

/** The values of the wizard's fields while it is filled in. */
export type Answers = {
  terms_accepted: boolean
  privacy_accepted: boolean
  legal_name: string
  date_of_birth: string
  id_type: (typeof ID_TYPES)[number] | ''
  background_check_consent: boolean
  has_insurance: boolean
  insurance_provider: string
  insurance_policy_number: string
  insurance_expiry_date: string
  skills: string
  certifications: string
  sin_provided: boolean
}

/** Answers that would let somebody impersonate the person. The browser's storage never contains them. */
export const IDENTITY_ANSWERS = ['legal_name', 'date_of_birth', 'insurance_policy_number'] as const

export const noAnswers: Answers = {
  terms_accepted: false,
  privacy_accepted: false,
  legal_name: '',
  date_of_birth: '',
  id_type: '',
  background_check_consent: false,
  has_insurance: false,
  insurance_provider: '',
  insurance_policy_number: '',
  insurance_expiry_date: '',
  skills: '',
  certifications: '',
  sin_provided: false,
}

/** A list as people type it in the language of the page: ['snow', 'cats'] → 'snow, cats'. */
export function typedList(entries: string[]): string {
  return entries.join(TYPED_COMMAS[currentLanguage()] ?? ', ')
}

const TYPED_COMMAS: Partial<Record<Language, string>> = { ar: '، ', zh: '、' }

/** Splits text at commas, Arabic and Chinese ones too: 'snow, , cats ' → ['snow', 'cats']. */
export function listOf(text: string): string[] {
  return text
    .split(/[,،，、]/)
    .map((entry) => entry.trim())
    .filter(Boolean)
}
