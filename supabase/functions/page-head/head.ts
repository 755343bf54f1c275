// The head of a page as HTML: title, description, canonical address, its other languages, Open Graph, and structured
// data (https://schema.org). Made of what people wrote, so every value is escaped for its place.
import { currency, province } from '../../../marketplace.config.ts'
import { isolated } from '../../../shared/bidi.ts'
import { fees } from '../../../shared/fees.ts'
import { direction, type Language } from '../../../shared/language.ts'
import { clockNameIn, momentIn } from '../../../shared/locale.ts'
import { fromDollars, toDollars } from '../../../shared/money.ts'
import { clockOfLocation } from '../../../shared/placeClocks.ts'
import { rules } from '../../../shared/rules.ts'
import type { PersonFacts, TaskFacts } from './facts.ts'
import { headTextsIn } from './texts.ts'

/** The head that replaces the one of the app's page. */
export type PageHead = {
  /** Of the page: 404 where a stranger finds nothing at this address. */
  status: 200 | 404
  language: Language
  direction: 'ltr' | 'rtl'
  /** HTML for the end of the head; title and description of the app's page give way to it. */
  head: string
  /** HTML for readers without JavaScript. */
  body: string
}

/** The address of the page. */
export type Place = {
  /** The app's origin. */
  site: string
  /** The API's, where pictures lie. */
  api: string
  language: Language
}

type Page = {
  path: string
  title: string
  description: string
  /** Of the page itself; the site's picture where it has none. */
  image: string | null
  /** Whether the picture is shown wide in previews, as photos are, or small, as faces are. */
  wide: boolean
  type: 'website' | 'profile'
  /** Whether search engines keep it. */
  listed: boolean
  data: object
}

/** Letters of a description: more is cut off by those who show it. */
const MAX_DESCRIPTION = 200

/** An open task's. */
export function taskHead(task: TaskFacts, place: Place): PageHead {
  const { site, api, language } = place
  const path = `/task/${task.id}`
  const amount = toDollars(fees(fromDollars(task.pay_amount)).payout)
  // The description keeps the order of each of its facts.
  const pay = headTextsIn(language).say('taskerGets', { amount }, { escape: (value) => value })
  // The reader may be anywhere.
  const timeZone = clockOfLocation(task.location)
  const when =
    task.scheduled_date &&
    `${momentIn(language, new Date(task.scheduled_date), { timeZone })} (${clockNameIn(language, timeZone)})`
  const photo = task.photo && `${api}/storage/v1/object/public/task-photos/${encodeURI(task.photo)}`
  const area = {
    '@type': 'Place',
    name: task.location,
    address: { '@type': 'PostalAddress', addressRegion: province.code, addressCountry: province.country },
  }
  // A person who looks for a service: no JobPosting, which is for employers, nor an Offer, which is the other side's.
  const demand = {
    '@type': 'Demand',
    name: task.title,
    description: task.description,
    ...(photo ? { image: photo } : {}),
    ...(task.scheduled_date ? { availabilityStarts: task.scheduled_date } : {}),
    priceSpecification: {
      '@type': 'PriceSpecification',
      price: task.pay_amount,
      priceCurrency: currency.code,
    },
    itemOffered: { '@type': 'Service', serviceType: task.category, areaServed: area },
  }
  return filled(place, {
    path,
    title: task.title,
    description: sentence(language, [pay, task.location, when], task.description),
    image: photo,
    wide: true,
    type: 'website',
    listed: true,
    data: {
      '@type': 'ItemPage',
      name: task.title,
      url: addressOf(site, language, path),
      datePublished: task.created_at,
      dateModified: task.updated_at,
      mainEntity: demand,
    },
  })
}

/** A person's. */
export function personHead(person: PersonFacts, place: Place): PageHead {
  const { site, api, language } = place
  const path = `/profile/${person.id}`
  const reviewed = person.total_reviews > 0
  const skills = person.skills ?? []
  const image = picture(person.avatar_url, api)
  // A rating belongs to what a person does: schema.org knows none of people themselves.
  const offer = {
    '@type': 'Offer',
    itemOffered: {
      '@type': 'Service',
      name: skills.join(', ') || person.full_name,
      ...(reviewed && {
        aggregateRating: {
          '@type': 'AggregateRating',
          ratingValue: person.rating,
          reviewCount: person.total_reviews,
          bestRating: 5,
          worstRating: 1,
        },
      }),
    },
  }
  const stars = reviewed ? `★ ${person.rating} (${person.total_reviews})` : null
  return filled(place, {
    path,
    title: person.full_name,
    description: sentence(language, [stars, person.city, ...skills], person.bio ?? ''),
    image,
    wide: false,
    type: 'profile',
    listed: person.listed,
    data: {
      '@type': 'ProfilePage',
      url: addressOf(site, language, path),
      mainEntity: {
        '@type': 'Person',
        name: person.full_name,
        identifier: person.id,
        ...(person.bio ? { description: person.bio } : {}),
        ...(image ? { image } : {}),
        ...(person.city ? { homeLocation: { '@type': 'Place', name: person.city } } : {}),
        ...(skills.length > 0 ? { knowsAbout: skills } : {}),
        ...(person.role === 'task_doer' ? { makesOffer: offer } : {}),
      },
    },
  })
}

/** That of an address where a stranger finds nothing: the app says there what it is, to whom it belongs. */
export function emptyHead({ language }: Place): PageHead {
  return {
    status: 404,
    language,
    direction: direction(language),
    head: '<title>Meadowlark</title>\n<meta name="robots" content="noindex" />',
    body: '',
  }
}

function filled({ site, language }: Place, page: Page): PageHead {
  const address = addressOf(site, language, page.path)
  const others = rules.languages.map((code) => alternate(code, addressOf(site, code, page.path)))
  const head = [
    `<title>${escaped(page.title)} · Meadowlark</title>`,
    meta('name', 'description', page.description),
    ...(page.listed ? [] : [meta('name', 'robots', 'noindex')]),
    `<link rel="canonical" href="${escaped(address)}" />`,
    ...others,
    alternate('x-default', addressOf(site, 'en', page.path)),
    meta('property', 'og:type', page.type),
    meta('property', 'og:site_name', 'Meadowlark'),
    meta('property', 'og:title', page.title),
    meta('property', 'og:description', page.description),
    meta('property', 'og:url', address),
    meta('property', 'og:locale', language),
    meta('property', 'og:image', page.image ?? `${site}/og.png`),
    meta('name', 'twitter:card', page.wide || !page.image ? 'summary_large_image' : 'summary'),
    `<script type="application/ld+json">${jsonLd({ ...page.data, inLanguage: language, isPartOf: { '@type': 'WebSite', '@id': `${site}/#site`, name: 'Meadowlark', url: `${site}/` } })}</script>`,
  ]
  return {
    status: 200,
    language,
    direction: direction(language),
    head: head.join('\n'),
    body: `<h1 dir="auto">${escaped(page.title)}</h1>\n<p dir="auto">${escaped(page.description)}</p>`,
  }
}

/** `$80 · Saskatoon · Sat, Nov 21, 2:30 p.m. – Two cars wide …`: facts need no words, so every language can have them. */
function sentence(language: Language, facts: (string | null)[], words: string): string {
  const known = facts.filter((fact) => fact !== null && fact !== '') as string[]
  const first = known.map((fact) => isolated(fact, direction(language))).join(' · ')
  const all = [first, words.replace(/\s+/g, ' ').trim()].filter(Boolean).join(' – ')
  // A letter may be many characters, as a family of emoji is: none is cut in two.
  const beginning = all.slice(0, 4 * MAX_DESCRIPTION)
  const letters = Array.from(new Intl.Segmenter(language).segment(beginning), ({ segment }) => segment)
  if (letters.length <= MAX_DESCRIPTION && beginning === all) return all
  const kept = Math.min(letters.length, MAX_DESCRIPTION) - 1
  return `${letters.slice(0, kept).join('').trimEnd()}…`
}

/** A face that the app itself would show; the page's policy keeps out what lies elsewhere. */
function picture(address: string | null, api: string): string | null {
  if (!address || !URL.canParse(address, api)) return null
  const url = new URL(address, api)
  return url.origin === new URL(api).origin ? url.href : null
}

function addressOf(site: string, language: Language, path: string): string {
  return language === 'en' ? site + path : `${site}/${language}${path}`
}

const alternate = (code: string, address: string) =>
  `<link rel="alternate" hreflang="${code}" href="${escaped(address)}" />`

const meta = (attribute: 'name' | 'property', name: string, content: string) =>
  `<meta ${attribute}="${name}" content="${escaped(content)}" />`

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
}
const escaped = (text: string) => text.replace(/[&"'<>]/g, (letter) => ENTITIES[letter] as string)

/** Without `<`, neither `</script>` nor `<!--` in a text ends the element. */
const jsonLd = (data: object) =>
  JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c')
