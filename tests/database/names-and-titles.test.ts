// Names and titles go into e-mails: no addresses, no speaking in the product's name, no invisible characters.
import { describe, expect, it } from 'vitest'
import { refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const ADDRESS = 'cannot contain a web or e-mail address'
const HIDDEN = 'cannot contain invisible or control characters'
const NAME_OFFICIAL = 'Name cannot suggest that it is Meadowlark itself'
const TITLE_OFFICIAL = 'Title cannot suggest that it comes from Meadowlark itself'

const rename = (name: string) => as(db, 'sam')('update public.profiles set full_name = $1', [name])
const post = async (title: string): Promise<string> => {
  const { rows } = await as(db, 'grace')(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
     values ($1, $2, 'Two hours on a Saturday morning.', 'Other', 'Saskatoon', 60) returning id`,
    [cast.grace, title],
  )
  return rows[0].id
}
/** The rule that a text breaks, as a name and as a title; null where it breaks none. */
const refused = async (text: string) => [await outcome(rename(text)), await outcome(post(text))]
const outcome = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: Error) => error.message,
  )

describe('a web or e-mail address', () => {
  it.each([
    'www.evil.example/prize Now',
    'Prize at evil.example',
    'https://evil.example',
    'HTTP://EVIL',
    'evil.com claim now',
    'evil.co.uk/login',
    'claim at t.me/prize',
    'grace@example.com',
    'Mail grace@evil.museum',
    'mailto:grace',
    'evil\uff0eexample',
    'evil\u3002com',
    'evil\uff61com',
    'evil\u2024com',
    'ｗｗｗ．ｅｖｉｌ．ｃｏｍ',
    'prize (evil.shop)',
    'пример.рф',
    'http:\\\\evil',
    'See 10.0.0.1/login',
    'evil.xn--p1ai',
  ])('is refused: %s', async (text) => {
    expect(await refused(text)).toEqual([`Name ${ADDRESS}`, `Title ${ADDRESS}`])
  })

  it.each([
    'J.P. Smith',
    'J. R. R. Field',
    'J.Li',
    'Dr.Green',
    'Mr. St. Louis',
    'Patrick O’Brien-Smith',
    'Zoë Ångström',
    'محمد العربي',
    'می\u200cخواهم',
    'क्\u200dष अग्रवाल',
    '欧阳小明',
    'Ева Иванова',
    'Björk Guðmundsdóttir',
    'Ph.D. Ada Lovelace',
    'Grace ❤\ufe0f\u200d🔥',
  ])('is no name such as %s', async (name) => {
    expect(await outcome(rename(name))).toBeNull()
  })

  it.each([
    'Fix Wi-Fi 5.0GHz router',
    'Paint 3.5m fence',
    'Move e.g. a couch',
    'Hang a T.V. at 9 a.m.',
    'Pick up at 9.am, drop off at 5.pm',
    '1.Cleaning 2.Moving 3.Other',
    'Help...me move a piano',
    'Walk the dog near St.Louis St.',
    'Set up Node.js (v20.19.0)',
    'Meet @ noon, 2 people @ $40.50',
    'Assemble IKEA shelf No.5',
    'Sweep the garage.We have a broom',
    'Déménager un canapé, rue St-Jean',
    'ترتيب المرآب قبل الساعة ٣.٣٠',
    '打扫车库。需要两个人',
    'Paint a meadowlark on our fence',
    'Moving help near Meadowlark Drive',
    'Hang the \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} flag',
  ])('is no title such as %s', async (title) => {
    expect(await outcome(post(title))).toBeNull()
  })
})

describe('speaking in the product’s name', () => {
  it.each([
    'Meadowlark Support',
    'Meadowlark HQ',
    'Meadowlark Helpline',
    'Agent of Meadowlark',
    'Meadowlark Offical',
    'MEADOWLARK  support team',
    'Support of Meadowlark',
    'Me\u0430dowl\u0430rk Support',
    'Ｍｅａｄｏｗｌａｒｋ Ａｄｍｉｎ',
    'M e a d o w l a r k Support',
    'Meàdowlárk Sécurité',
    'Mead0w1ark Billing',
    'Rneadowlark Help',
    'MeadowIark Support',
    'Meaclovvlark OfficiaI',
    'Официальный Meadowlark',
    'Команда от Meadowlark',
    'ᴍᴇᴀᴅᴏᴡʟᴀʀᴋ Staff',
    'Meadowlark-Payments',
    'MeadowlarkSupport',
    'Equipe Meadowlark',
    'Meadowlark Soporte',
    'Meadowlark Hilfe',
    'Meadowlark सहायता',
    'Meadowlark客服',
    'Поддержка Meadowlark',
    'دعم Meadowlark',
    'Suporte Meadowlark',
    'Dukungan Meadowlark',
  ])('is refused: %s', async (text) => {
    expect(await refused(text)).toEqual([NAME_OFFICIAL, TITLE_OFFICIAL])
  })

  it.each(['Meadowlark', 'The Meadowlark', 'Support for you by Meadowlark', 'M-eadowlark Su.pport'])(
    'is refused as a name: %s',
    async (name) => {
      expect(await outcome(rename(name))).toBe(NAME_OFFICIAL)
    },
  )

  it.each(['Jane Meadowlark', 'Tim Meadowlark', 'Grace Support', 'Theo Stafford'])(
    'is no name such as %s',
    async (name) => {
      expect(await outcome(rename(name))).toBeNull()
    },
  )
})

describe('an invisible or control character', () => {
  it.each([
    ['an override', 'Gra\u202ece Giver'],
    ['an isolate', 'Grace \u2066Giver'],
    ['a mark', 'Grace\u200f Giver'],
    ['a zero-width space', 'Gra\u200bce Giver'],
    ['a word joiner', 'Gra\u2060ce Giver'],
    ['a soft hyphen', 'Gra\u00adce Giver'],
    ['a bell', 'Gra\u0007ce Giver'],
    ['a joiner between Latin letters', 'Gra\u200dce Giver'],
    ['a joiner after a joiner', 'می\u200c\u200cخواهم'],
    ['tags', 'Grace\u{e0041}\u{e0042} Giver'],
  ])('is refused: %s', async (_, text) => {
    expect(await refused(text)).toEqual([`Name ${HIDDEN}`, `Title ${HIDDEN}`])
  })

  it('of a line is refused in a title, and is a blank in a name', async () => {
    expect(await outcome(post('Walk the dog\r\nBcc: sam'))).toBe(`Title ${HIDDEN}`)
    expect(await outcome(rename('Sam\n Stranger'))).toBeNull()
    const { rows } = await owner(db)('select full_name from public.profiles where id = $1', [cast.sam])
    expect(rows).toEqual([{ full_name: 'Sam Stranger' }])
  })
})

describe('every way in', () => {
  const BAD = 'www.evil.example/prize Now'
  const refusalOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => null,
      ({ code, message, hint }) => ({ code, message, hint }),
    )

  it('names the field, with a code that the Data API knows', async () => {
    const name = { code: 'P0001', message: `Name ${ADDRESS}`, hint: 'full_name' }
    const title = { code: 'P0001', message: `Title ${ADDRESS}`, hint: 'title' }
    expect(await refusalOf(rename(BAD))).toEqual(name)
    expect(await refusalOf(post(BAD))).toEqual(title)
    const task = await post('Walk the dog')
    expect(
      await refusalOf(as(db, 'grace')('update public.tasks set title = $2 where id = $1', [task, BAD])),
    ).toEqual(title)
    expect(await refusalOf(signUp(db, { name: BAD, role: 'task_giver' }))).toEqual(name)
  })

  it('leaves out what a provider brings, and asks for a name when the account is finished', async () => {
    for (const [name, kept] of [
      [BAD, null],
      ['Meadowlark Support', null],
      ['Ne\u202ell Newcomer', 'Nell Newcomer'],
    ] as const) {
      const { rows } = await owner(db)(
        `insert into auth.users (id, email, raw_user_meta_data, raw_app_meta_data)
         values (gen_random_uuid(), gen_random_uuid() || '@example.com', $1, '{"provider": "google"}') returning id`,
        [{ full_name: name, role: 'chief' }],
      )
      const { id } = rows[0]
      const person = await owner(db)('select full_name from public.profiles where id = $1', [id])
      expect(person.rows).toEqual([{ full_name: kept }])
      const finish = (given: string) =>
        as(db, id)(`select public.finish_account($1, null, 'task_giver')`, [given])
      expect(await refusal(finish(BAD))).toBe(`Name ${ADDRESS}`)
      expect(await refusal(finish('Nell\u202e Newcomer'))).toBe(`Name ${HIDDEN}`)
      await finish('Nell Newcomer')
    }
  })

  it('leaves alone what was there before the rules', async () => {
    const task = await post('Walk the dog')
    await owner(db)(`set session_replication_role = replica;
      update private.profiles set full_name = 'Meadowlark Support' where id = '${cast.sam}';
      update public.tasks set title = 'Prize at evil.example' where id = '${task}';
      set session_replication_role = origin`)
    await as(db, 'sam')(`update public.profiles set full_name = 'Meadowlark Support', city = 'Regina'`)
    await as(db, 'grace')(
      `update public.tasks set title = 'Prize at evil.example', location = 'Regina' where id = $1`,
      [task],
    )
    const { rows } = await owner(db)('select location from public.tasks where id = $1', [task])
    expect(rows).toEqual([{ location: 'Regina' }])
  })
})

it('sees every ASCII character alike, with and without others in the text', async () => {
  const { rows } = await owner(db)(
    `select character from (select chr(generate_series(32, 126)) as character) ascii
     where private.confusable_skeleton(character) || 'я' <> private.confusable_skeleton(character || 'я')`,
  )
  expect(rows).toEqual([])
})
