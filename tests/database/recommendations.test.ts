// Reasons of recommendations: they say what the score counted, and nothing else.
import { expect, it } from 'vitest'
import { rules } from '../../shared/rules.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const CATEGORIES = ['Cleaning', 'Handyman', 'Moving', 'Other']
const SKILLS = ['Drywall', 'painting', 'Paint', 'peinture à l’huile', '100%', 'tile_work', 'wall']
const WORDS = [...SKILLS, 'PAINTING', "peinture a l'huile", 'tiling', '100', 'Wallpaper', 'a', 'Piano']

/** Random numbers that are the same in each run. */
let seed = 33
const below = (limit: number) => {
  seed = (seed * 1103515245 + 12345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * limit)
}
const some = (list: string[], count: number) =>
  Array.from({ length: count }, () => list[below(list.length)] as string)

type Reasons = { category: boolean; skills: string[]; km: number | null } | null

async function reasonsOf(task: object): Promise<{ score: number; reasons: Reasons }> {
  const { rows } = await as(db, 'theo')(
    `select public.recommendation_score(t) as score, public.recommendation_reasons(t) as reasons
     from jsonb_populate_record(null::public.tasks, $1) t`,
    [task],
  )
  return rows[0]
}

const prefers = (categories: string[], skills: string[]) =>
  owner(db)('update public.profiles set preferred_categories = $2, skills = $3 where id = $1', [
    cast.theo,
    categories,
    skills,
  ])

it('agree with the score of random tasks', async () => {
  const scores = new Set<number>()
  for (let n = 0; n < 150; n++) {
    if (n % 10 === 0) await prefers(some(CATEGORIES, below(3)), [...new Set(some(SKILLS, below(5)))])
    const { score, reasons } = await reasonsOf({
      category: some(CATEGORIES, 1)[0],
      title: some(WORDS, 1 + below(3)).join(' '),
      description: some(WORDS, below(4)).join(', '),
    })
    const { preferredCategory, skill } = rules.recommendation
    expect((reasons?.category ? preferredCategory : 0) + (reasons?.skills.length ?? 0) * skill).toBe(score)
    expect(reasons === null).toBe(score === 0)
    scores.add(score)
  }
  expect([...scores].sort((a, b) => a - b).slice(0, 4)).toEqual([0, 5, 10, 15])
})

it('name the skills as the tasker wrote them, in their order', async () => {
  await prefers(['Handyman'], ['Painting', 'Piano', 'drywall'])
  const task = { category: 'Handyman', title: 'DRYWALL', description: 'then painting' }
  expect((await reasonsOf(task)).reasons).toEqual({
    category: true,
    skills: ['Painting', 'drywall'],
    km: null,
  })
})

it('give the distance within the travel area only', async () => {
  await prefers(['Handyman'], [])
  await as(db, 'theo')(`insert into public.travel_areas (place_id, radius_km) values ('saskatoon', 50)`)
  const at = async (latitude: number | null, longitude: number | null) =>
    (await reasonsOf({ category: 'Handyman', public_latitude: latitude, public_longitude: longitude }))
      .reasons?.km
  const warman = await at(52.32, -106.58)
  expect(warman).toBeGreaterThan(15)
  expect(warman).toBeLessThan(25)
  expect(await at(50.45, -104.61)).toBeNull()
  expect(await at(null, null)).toBeNull()
})

it('are null for people who prefer nothing', async () => {
  const { rows } = await as(
    db,
    'sam',
  )(
    `select public.recommendation_reasons(jsonb_populate_record(null::public.tasks, '{"category": "Handyman"}')) as reasons`,
  )
  expect(rows).toEqual([{ reasons: null }])
})
