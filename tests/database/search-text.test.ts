// Searches find text whatever its accents, quotation marks, dashes and encoding, and whichever of them were typed.
import { beforeAll, describe, expect, it } from 'vitest'
import { searchText } from '../../shared/searchText.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

/** Texts, and the words that find them. */
const WRITTEN: [string, string[]][] = [
  ['Carry grandma’s piano', ["grandma's", 'grandma’s', 'grandma‘s', 'grandma`s', 'GRANDMAʼS']],
  [
    "Mow the neighbour's lawn",
    ['neighbour’s', "neighbour's lawn", '“neighbour’s lawn”', '« neighbour´s lawn »'],
  ],
  ['Déménagement d’un canapé', ['demenagement', 'DÉMÉNAGEMENT', 'De\u0301me\u0301nagement', "d'un canape"]],
  ['Bring a cafe\u0301 table', ['café', 'cafe', 'CAFE\u0301']],
  ['Fußboden in der Straße schleifen', ['fussboden', 'STRASSE', 'straße', 'Straẞe']],
  ['İstanbul’dan ışık getir', ['istanbul', 'ISTANBUL', 'isik', 'IŞIK']],
  ['Fix the Wi\u2011Fi — today', ['wi-fi', 'Wi–Fi', '"wi-fi - today"']],
  ['Ｆｕｌｌ-width ﬁtting', ['full-width', 'fitting', 'Ｆｕｌｌ']],
  ['Помочь с переездом, мой ёж', ['ПЕРЕЕЗДОМ', 'еж', 'мои\u0306']],
  ['ساعدني في نقل الأَثاث', ['الاثاث', 'الأثاث']],
  ['搬家：三樓，很重的沙發', ['搬家:', '沙發', '三樓,']],
  ['50\u00a0% off_ \\ bags', ['％', '_', '＼', '"50 %"']],
]

beforeAll(async () => {
  for (const [title] of WRITTEN) {
    await owner(db)(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
       values ($1, $2, 'Everything needed is on site.', 'Other', $3, 50)`,
      [cast.grace, title, title.startsWith('Dém') ? 'Montréal Lake' : 'Regina'],
    )
  }
})

const column = async (person: string, text: string, values: unknown[] = []) =>
  (await as(db, person)(text, values)).rows.map((row) => Object.values(row)[0])
const titles = (call: string, values: unknown[] = []) =>
  column('sam', `select title from public.${call}`, values)

describe('a search', () => {
  it.each(WRITTEN.flatMap(([title, typed]) => typed.map((query) => [query, title])))(
    'for %s finds “%s” and nothing else',
    async (query, title) => {
      expect(await titles('search_tasks($1)', [query])).toEqual([title])
      expect(await column('sam', 'select public.count_tasks($1)', [query])).toEqual([1])
    },
  )

  it('finds nothing else: accents that nobody typed and wildcards match only themselves', async () => {
    for (const query of ['grandmas', "grand'ma", '%_', 'か', '\\\\'])
      expect(await titles('search_tasks($1)', [query])).toEqual([])
    // Marks alone are no word.
    expect(await titles('search_tasks($1)', ['\u0301 canape'])).toHaveLength(1)
  })

  it('narrows to a place and a kind, and counts the kind, in the same way', async () => {
    expect(await titles(`search_tasks(location => 'montreal')`)).toEqual(['Déménagement d’un canapé'])
    expect(await titles(`search_tasks(location => 'MONTRE\u0301AL')`)).toHaveLength(1)
    expect(await titles(`search_tasks(category => 'Tech Support')`)).toEqual(['Fix the Wi\u2011Fi — today'])
    expect(await titles(`search_tasks(category => 'cafe')`)).toEqual(['Bring a cafe\u0301 table'])
    const counts = `select count from public.task_kind_counts() where name = 'Tech Support'`
    expect(await column('sam', counts)).toEqual([1])
    await owner(db)('select private.rebuild_figures()')
    expect(await column('sam', counts)).toEqual([1])
  })

  it('for taskers looks into name, skills, bio and city', async () => {
    await owner(db)(
      `update private.profiles set id_verified = true, full_name = 'Zoé O’Neill', skills = '{Déménagement,Wi‑Fi}',
         bio = 'Ich liebe Straßen', city = 'Montréal' where id = $1`,
      [cast.theo],
    )
    const found = (call: string, values: unknown[] = []) =>
      column('sam', `select id from public.${call}`, values)
    for (const query of ['zoe o', 'ZOE\u0301', 'demenagement', 'wi-fi', 'strassen']) {
      expect(await found('find_taskers($1)', [query])).toEqual([cast.theo])
      expect(await found('search_taskers($1)', [query])).toEqual([cast.theo])
    }
    for (const city of ['montreal', 'MONTRÉAL', 'Montre\u0301al'])
      expect(await found('search_taskers(city => $1)', [city])).toEqual([cast.theo])
    expect(await found(`search_taskers(city => 'montre')`)).toEqual([])
    // Tasks that suit people are found by their skills.
    const [first] = await column('theo', 'select title from public.recommended_tasks()')
    expect(['Déménagement d’un canapé', 'Fix the Wi\u2011Fi — today']).toContain(first)
    expect(
      await column(
        'theo',
        'select title from public.tasks t where public.recommendation_score(t) > 0 order by 1',
      ),
    ).toEqual(['Déménagement d’un canapé', 'Fix the Wi\u2011Fi — today'])
  })

  it('of the back office finds people, and an address only as it is written', async () => {
    const id = await signUp(db, { name: 'Renée d’Or', role: 'task_giver' })
    const people = (query: string) => column('ada', 'select id from public.find_people($1)', [query])
    for (const query of ['renee', "RENE\u0301E d'or"]) expect(await people(query)).toEqual([id])
    const [email] = await column('ada', 'select email from public.find_people($1)', ['renee'])
    expect(await people(String(email).toUpperCase())).toEqual([id])
  })
})

describe('shared/searchText.ts and the database', () => {
  it('agree on every character of the basic plane that no recent version of Unicode has changed', async () => {
    const codes = Array.from({ length: 0xffff }, (_, n) => n + 1).filter(
      (code) => code < 0xa000 || (code >= 0xac00 && code < 0xd800) || code >= 0xf900,
    )
    const texts = codes.map((code) => `a${String.fromCodePoint(code)}b`)
    const { rows } = await owner(db)(
      `select array_agg(private.search_text(text) order by place) as folded from unnest($1::text[]) with ordinality t (text, place)`,
      [texts],
    )
    const differing = texts.filter((text, n) => searchText(text) !== rows[0].folded[n])
    expect(differing).toEqual([])
  })

  it('fold text that is folded already to itself', async () => {
    for (const text of WRITTEN.flatMap(([title, typed]) => [title, ...typed])) {
      expect(searchText(searchText(text))).toBe(searchText(text))
      const { rows } = await owner(db)('select private.search_text($1) as folded', [text])
      expect(rows[0].folded).toBe(searchText(text))
    }
  })
})
