// Phone numbers as people write them. The library and its table of countries come when the first number is shown.

import type { CountryCode } from 'libphonenumber-js/min'
import { useEffect, useState } from 'react'
import { province } from '../../marketplace.config.ts'

/** The country whose numbers need no country code. */
const HOME = province.country as CountryCode

const library = () => import('libphonenumber-js/min')

/** The number as it is written: at home "(306) 555-0102", abroad, and with `whole` always, "+1 306 555 0102". */
export async function formatPhone(phone: string, { whole = false } = {}): Promise<string> {
  const { parsePhoneNumberFromString } = await library()
  // The whole text has to be the number: what somebody wrote after it is kept.
  const number = parsePhoneNumberFromString(phone, { defaultCountry: HOME, extract: false })
  // Some numbers are nobody's, as those of films and of this demo: what has the form of a number is written as one.
  if (!number?.isPossible()) return phone
  return number.countryCallingCode === '1' && !whole ? number.formatNational() : number.formatInternational()
}

/** The same for a screen: as it was stored until the library is there, '' for none. */
export function usePhone(phone: string | null | undefined, { whole = false } = {}): string {
  const [shown, setShown] = useState({ phone, text: phone ?? '' })
  useEffect(() => {
    if (!phone) return
    let current = true
    formatPhone(phone, { whole }).then(
      (text) => current && setShown({ phone, text }),
      () => undefined, // without a connection the stored form will do
    )
    return () => {
      current = false
    }
  }, [phone, whole])
  return shown.phone === phone ? shown.text : (phone ?? '')
}

/** Digits and the marks between them, up to a digit: other text, such as an extension, is left as it was typed. */
const NUMBER_ALONE = /^\+?[\d\s().-]*\d$/

/** A half-typed number with the marks that belong between its digits so far. */
export async function formatWhileTyping(typed: string): Promise<string> {
  if (!NUMBER_ALONE.test(typed)) return typed
  const { AsYouType, validatePhoneNumberLength } = await library()
  // Digits after a whole number are not part of it.
  return validatePhoneNumberLength(typed, HOME) === 'TOO_LONG' ? typed : new AsYouType(HOME).input(typed)
}
