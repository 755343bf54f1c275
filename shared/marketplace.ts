// The types of marketplace.config.ts.
import type { rules } from './rules.ts'

/** A text in each language of the app. */
type Translated = Record<(typeof rules.languages)[number], string>

/** The platform's share of a task's amount, and what a giver who cancels a paid booking pays. */
export interface Fees {
  /** Percent of the task's amount, paid by the giver on top and taken from what the tasker receives. */
  platformPercent: number
  /**
   * The first step whose `underHours` is above the hours left until the task takes `percent` of its amount. Shortest first;
   * two of them, as the texts name both.
   */
  cancellation: readonly [CancellationStep, CancellationStep]
  /** Cents that a cancellation costs before the longest step, or if the task has no time. */
  cancellationFlatCents: number
}

interface CancellationStep {
  underHours: number
  percent: number
}

export interface Tax {
  /** Percent of the task's amount, paid by the giver on top and set aside from what the tasker receives. */
  percent: number
  /** Its short name, such as GST. */
  name: Translated
}

export interface Currency {
  /** ISO 4217, in capitals. Its symbol is a dollar sign, and it has cents. */
  code: string
  /** The name as it completes "in …": "in Canadian dollars". */
  name: Translated
}

export interface Clock {
  /** IANA name of the time zone, with or without daylight saving. */
  timeZone: string
  /** Names the clock after a time of day, where readers may live by another: "Saskatchewan time". */
  name: Translated
}

/** How a language writes the province. Forms that it does not inflect are left out: the name takes their place. */
interface PlaceName {
  name: string
  /** "in …", with its preposition where the language has one. */
  in?: string
  /** "of …", with its preposition where the language has one. */
  of?: string
  /** "all of …", with the word for "all" where it agrees with the name. */
  across?: string
}

/** A name that the languages without an entry write as English does. */
export type Spelled = { en: string } & Partial<Translated>

/** Local examples in texts and forms. */
export interface Examples {
  /** Two cities as they complete "in …". */
  cities: readonly [Spelled, Spelled]
  /** As a person types it: the city, its part. */
  place: string
  phone: string
  postalCode: string
}

export interface Province {
  /** Two letters, as in postal addresses. */
  code: string
  /** ISO 3166-1 code; the country of accounts, addresses and phone numbers. */
  country: string
  names: Record<(typeof rules.languages)[number], PlaceName>
}

/** An origin of the places, with its address and its licence's. */
export type PlaceSource = Record<'name' | 'url' | 'license' | 'licenseUrl', string>

/** Month (1 to 12) in which each season begins in the picture of the landing page. */
export type Seasons = Record<'spring' | 'summer' | 'autumn' | 'winter', number>

/** The company that receipts and payout statements name. */
export interface Operator {
  /** Legal name. */
  name: string
  /** Null: left out. */
  address: string | null
  /** Registration number of the tax, such as 123456789 RT 0001; null: left out. */
  taxNumber: string | null
}

/** Networks that have an icon (web/app/SocialIcon.tsx). */
export type Network = 'Facebook' | 'Instagram' | 'X' | 'LinkedIn'

/** Figures on the marketing pages while `figures` is 'claimed'. */
export interface Claims {
  activeUsers: string
  tasksCompleted: string
  /** Dollars; the text claims that an average tasker earns more. */
  monthlyEarnings: number
  /** Number of people; the text claims that there are more. */
  activeTaskers: number
  /** Stars of five. */
  rating: number
}
