// The marketplace in one file: money, place and time, and the operator.
// After a change: `npm run marketplace` (CONTRIBUTING.md, "The marketplace's values"). Types and units: shared/marketplace.ts.
import type {
  Claims,
  Clock,
  Currency,
  Examples,
  Fees,
  Network,
  Operator,
  PlaceSource,
  Province,
  Seasons,
  Tax,
} from './shared/marketplace.ts'

/////////////////////////////////////////////////////////////////////////////////////////////////// Money

/** The currency of every amount. It can change until the first payment: the database holds payments of one currency. */
export const currency: Currency = {
  code: 'CAD',
  name: {
    en: 'Canadian dollars',
    es: 'dólares canadienses',
    fr: 'dollars canadiens',
    de: 'kanadischen Dollar',
    hi: 'कैनेडियन डॉलर',
    zh: '加元',
    ru: 'канадских долларах',
    ar: 'بالدولار الكندي',
    pt: 'dólares canadenses',
    id: 'dolar Kanada',
  },
}

export const fees: Fees = {
  platformPercent: 15,
  cancellation: [
    { underHours: 1, percent: 50 },
    { underHours: 24, percent: 25 },
  ],
  cancellationFlatCents: 500,
}

/** The sales tax on the task's amount. */
export const tax: Tax = {
  percent: 5,
  name: {
    en: 'GST',
    es: 'GST',
    fr: 'TPS',
    de: 'GST',
    hi: 'GST',
    zh: 'GST',
    ru: 'GST',
    ar: 'GST',
    pt: 'GST',
    id: 'GST',
  },
}

/** Dollars that a task may pay. */
export const pay = { min: 25, max: 100_000 }

/////////////////////////////////////////////////////////////////////////////////////////////////// Place and time

/** The clock of deadlines on screens, of calendar days and of months. Times of a task are by the clock of its place. */
export const clock: Clock = {
  timeZone: 'America/Regina',
  name: {
    en: 'Saskatchewan time',
    es: 'hora de Saskatchewan',
    fr: 'heure de la Saskatchewan',
    de: 'Ortszeit Saskatchewan',
    hi: 'सस्केचेवान का समय',
    zh: '萨省时间',
    ru: 'время Саскачевана',
    ar: 'بتوقيت ساسكاتشوان',
    pt: 'horário de Saskatchewan',
    id: 'waktu Saskatchewan',
  },
}

export const province: Province = {
  code: 'SK',
  country: 'CA',
  names: {
    en: { name: 'Saskatchewan' },
    es: { name: 'Saskatchewan' },
    fr: { name: 'Saskatchewan', in: 'en Saskatchewan', of: 'de la Saskatchewan' },
    de: { name: 'Saskatchewan' },
    hi: { name: 'सस्केचेवान' },
    zh: { name: '萨省' },
    ru: {
      name: 'Саскачеван',
      in: 'в Саскачеване',
      of: 'Саскачевана',
      across: 'по всему Саскачевану',
    },
    ar: { name: 'ساسكاتشوان' },
    pt: {
      name: 'Saskatchewan',
      in: 'em Saskatchewan',
      of: 'de Saskatchewan',
      across: 'toda Saskatchewan',
    },
    id: { name: 'Saskatchewan' },
  },
}

/** The sources of supabase/places.json, which their licences ask to name where places are shown. */
export const placeSources: PlaceSource[] = [
  {
    name: 'GeoNames',
    url: 'https://www.geonames.org',
    license: 'CC BY 4.0',
    licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
  },
  {
    name: 'Government of Canada',
    url: 'https://natural-resources.canada.ca/maps-tools-publications/maps/geographical-names-canada',
    license: 'Open Government Licence – Canada',
    licenseUrl: 'https://open.canada.ca/en/open-government-licence-canada',
  },
]

/** Local examples in texts and forms. */
export const examples: Examples = {
  cities: [
    {
      en: 'Regina',
      hi: 'रेजाइना',
      zh: '里贾纳',
      ru: 'Реджайне',
      ar: 'ريجاينا',
    },
    {
      en: 'Prince Albert',
      hi: 'प्रिंस अल्बर्ट',
      zh: '艾伯特王子城',
      ru: 'Принс-Альберте',
      ar: 'برنس ألبرت',
    },
  ],
  place: 'Saskatoon, Nutana',
  phone: '+1 306 555 0123',
  postalCode: 'S7K 1N1',
}

/** Snow from November to March, canola from June to August. */
export const seasons: Seasons = { spring: 4, summer: 6, autumn: 9, winter: 11 }

/////////////////////////////////////////////////////////////////////////////////////////////////// The operator

export const operator: Operator = { name: 'Meadowlark', address: null, taxNumber: null }

export const contactEmail = 'hello@meadowlark.example'

/** In the footer, in this order. */
export const social: Partial<Record<Network, string>> = {
  Facebook: 'https://www.facebook.com/',
  Instagram: 'https://www.instagram.com/',
  X: 'https://x.com/',
  LinkedIn: 'https://www.linkedin.com/',
}

/** Source of the figures on marketing pages: the claims below, or the database's daily count (docs/operations/figures.md). */
export const figures = 'claimed' as 'claimed' | 'counted'

export const claims: Claims = {
  activeUsers: '1000+',
  tasksCompleted: '500+',
  monthlyEarnings: 2500,
  activeTaskers: 10_000,
  rating: 4.8,
}

/** The day from which each legal text applies; its readers see the month. web/lib/marketplace.test.ts notices a text that changed. */
export const legalTextsChanged = { terms: '2026-11-29', privacy: '2026-11-29' }
