// Heads of pages as HTML: what people wrote stays text wherever it is put, and every language has its own.

import { fillHead } from '@meadowlark/server/http/page-head.ts'
import { expect, test } from 'vitest'
import type { PersonFacts, TaskFacts } from '../../supabase/functions/page-head/facts.ts'
import { emptyHead, type Place, personHead, taskHead } from '../../supabase/functions/page-head/head.ts'

const place: Place = { site: 'https://meadowlark.example', api: 'https://api.example', language: 'en' }
const task: TaskFacts = {
  id: '6f1c7e0e-0000-4000-8000-000000000001',
  title: 'Clear the driveway',
  description: 'Two cars wide,\nand the walk to the door.',
  category: 'Snow Removal',
  location: 'Saskatoon',
  pay_amount: 80.5,
  scheduled_date: '2026-11-21T20:30:00Z',
  photo: 'grace/one.jpg',
  created_at: '2026-11-20T20:30:00Z',
  updated_at: '2026-11-20T21:30:00Z',
}
const person: PersonFacts = {
  id: '6f1c7e0e-0000-4000-8000-000000000002',
  full_name: 'Theo',
  bio: 'Carpenter',
  city: 'Regina',
  avatar_url: '/storage/v1/object/public/avatars/theo.jpg',
  skills: ['Carpentry'],
  rating: 4.8,
  total_reviews: 12,
  role: 'task_doer',
  listed: true,
}
const APP =
  '<!doctype html><html data-sandbox lang="en" dir="ltr" data-theme="light"><head><title>Meadowlark</title>' +
  '<meta\n  name="description"\n  content="Jobs"\n/></head><body><div id="root"></div><noscript>No script</noscript></body></html>'

const dataOf = (head: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(head)?.[1] ?? '')
const contentOf = (head: string, name: string) => new RegExp(`="${name}" content="([^"]*)"`).exec(head)?.[1]

test('a task says what, for how much, where and when, with its photo', () => {
  const { head, status, body } = taskHead(task, place)
  expect(status).toBe(200)
  expect(head).toContain('<title>Clear the driveway · Meadowlark</title>')
  const description =
    'The tasker gets $64.39 · Saskatoon · Sat, Nov 21, 2:30 p.m. (Saskatchewan time) – Two cars wide, and the walk to the door.'
  // Intl writes narrow blanks.
  expect(contentOf(head, 'description')?.replace(/\s/g, ' ')).toBe(description)
  expect(contentOf(head, 'og:image')).toBe(
    'https://api.example/storage/v1/object/public/task-photos/grace/one.jpg',
  )
  expect(contentOf(head, 'twitter:card')).toBe('summary_large_image')
  expect(head).not.toContain('noindex')
  expect(body).toContain('<h1 dir="auto">Clear the driveway</h1>')
  expect(dataOf(head).mainEntity).toMatchObject({
    '@type': 'Demand',
    priceSpecification: { price: 80.5, priceCurrency: 'CAD' },
    itemOffered: { areaServed: { name: 'Saskatoon' } },
  })
  expect(contentOf(taskHead({ ...task, photo: null }, place).head, 'og:image')).toBe(
    'https://meadowlark.example/og.png',
  )
})

test('the time of a task is by the clock of its place, which is named', () => {
  const { head } = taskHead({ ...task, location: 'Lloydminster' }, place)
  expect(contentOf(head, 'description')?.replace(/\s/g, ' ')).toContain(
    'Sat, Nov 21, 1:30 p.m. (Mountain Time)',
  )
})

test('each language has its own address, and names the others', () => {
  const { head, direction } = taskHead(task, { ...place, language: 'ar' })
  const path = `/task/${task.id}`
  expect(direction).toBe('rtl')
  expect(head).toContain(`<link rel="canonical" href="https://meadowlark.example/ar${path}" />`)
  expect(head).toContain(`hreflang="fr" href="https://meadowlark.example/fr${path}"`)
  expect(head).toContain(`hreflang="x-default" href="https://meadowlark.example${path}"`)
  expect(head.match(/hreflang/g)).toHaveLength(11)
})

test.each([
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '"><img src=x onerror=alert(1)>',
  `' onload='alert(1)`,
  '</title></head></noscript><body>',
  '$& $1 $` {{origin}} &amp;',
  'ثلج كثير أمام الباب',
  '雪 ❄️ 👩‍👩‍👧‍👦',
])('the text of a person stays text: %s', (text) => {
  const made = [
    taskHead({ ...task, title: text, description: text, location: text, category: text }, place),
    personHead({ ...person, full_name: text, bio: text, city: text, skills: [text] }, place),
  ]
  for (const { head, body } of made) {
    // Every tag of the head is one that we write, with attributes of ours.
    const left = head
      .replace(/<title>[^<]*<\/title>/, '')
      .replaceAll(/<meta (name|property)="[a-z:_]+" content="[^"<>]*" \/>/g, '')
      .replaceAll(/<link rel="(canonical|alternate)"( hreflang="[a-z-]+")? href="[^"<>]*" \/>/g, '')
      .replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')
    expect(left.trim()).toBe('')
    expect(body).toMatch(/^<h1 dir="auto">[^<]*<\/h1>\n<p dir="auto">[^<]*<\/p>$/)
    expect(dataOf(head).mainEntity.name).toBe(text)
    const page = fillHead(APP, made[0] as Parameters<typeof fillHead>[1])
    expect(page.match(/<(title|body|noscript)[ >]/g)).toEqual(['<title>', '<body>', '<noscript>'])
  }
})

test('a long text is cut between letters', () => {
  const family = '👩‍👩‍👧‍👦'
  for (const description of [family.repeat(400), 'word '.repeat(400)]) {
    const shown = contentOf(taskHead({ ...task, description }, place).head, 'description') ?? ''
    expect(shown).toMatch(/…$/)
    // Throws where half a letter is left.
    encodeURIComponent(shown)
    expect([...new Intl.Segmenter('en').segment(shown)].length).toBeLessThanOrEqual(200)
    expect(shown.replaceAll(family, '')).not.toMatch(/\u200d/)
  }
})

test('a person has a rating where there are reviews, and is kept by search engines only where listed', () => {
  const { head } = personHead(person, place)
  expect(contentOf(head, 'description')).toBe('★ 4.8 (12) · Regina · Carpentry – Carpenter')
  expect(contentOf(head, 'og:image')).toBe('https://api.example/storage/v1/object/public/avatars/theo.jpg')
  expect(dataOf(head)).toMatchObject({
    '@type': 'ProfilePage',
    mainEntity: {
      name: 'Theo',
      makesOffer: { itemOffered: { aggregateRating: { ratingValue: 4.8, reviewCount: 12 } } },
    },
  })
  const unknown = {
    ...person,
    total_reviews: 0,
    rating: 0,
    listed: false,
    avatar_url: 'https://elsewhere.example/face.jpg',
  }
  const fresh = personHead(unknown, place).head
  expect(fresh).not.toMatch(/aggregateRating|elsewhere|★/)
  expect(contentOf(fresh, 'robots')).toBe('noindex')
})

test('the head takes the place of that of the app, whose own description stays where there is none', () => {
  const page = fillHead(APP, taskHead(task, { ...place, language: 'ar' }))
  expect(page).toContain('<html data-sandbox lang="ar" dir="rtl" data-theme="light">')
  expect(page).not.toContain('content="Jobs"')
  const nobodys = fillHead(APP, emptyHead(place))
  expect(nobodys).toContain('content="Jobs"')
  expect(nobodys).toContain('<meta name="robots" content="noindex" />')
  expect(nobodys).not.toMatch(/canonical|og:/)
})
