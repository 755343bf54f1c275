// Pushes: to whom an event is pushed, when, and once; quiet hours; browsers that are gone, taken over or signed out.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { refusal, tryInsert } from './lives.ts'
import { as, asService, asSession, cast, databaseWithCast, owner } from './personas.ts'
import { subscribe } from './subscriptions.ts'

type Push = { id: string; endpoint: string; key: string; title: string; params: object; link: string }

const db = databaseWithCast()
beforeEach(async () => {
  await owner(db)('delete from public.push_subscriptions')
  await owner(db)('delete from public.quiet_hours')
  await owner(db)('delete from public.notification_preferences')
})

const notify = (person: string, key = 'verification_approved', params: object = {}) =>
  owner(db)(`select private.notify_person($1, $2, $3, '/profile')`, [person, key, JSON.stringify(params)])
const take = async (max = 100): Promise<Push[]> =>
  (await asService(db)('select public.begin_push($1) as pushes', [max])).rows[0].pushes
const finish = (id = '') => asService(db)('select public.finish_push($1)', [id])
const fail = (id = '', reason = 'later') => asService(db)('select public.fail_push($1, $2)', [id, reason])
const pass = (interval: string) =>
  owner(db)(
    'update private.push_messages set due_at = due_at - $1::interval, taken_until = taken_until - $1::interval',
    [interval],
  )
const subscribed = async () =>
  (await owner(db)('select endpoint, user_id from public.push_subscriptions order by created_at')).rows

describe('an event', () => {
  it('goes to each browser of the person, once, to nobody else and not where its kind is turned off', async () => {
    const [phone, laptop] = [await subscribe(db, 'theo'), await subscribe(db, 'theo')]
    await subscribe(db, 'sam')
    await notify(cast.theo)
    const pushes = await take()
    expect(pushes.map(({ endpoint }) => endpoint).sort()).toEqual([phone.endpoint, laptop.endpoint].sort())
    expect(pushes[0]).toMatchObject({ key: 'verification_approved', link: '/profile' })
    expect(await take()).toEqual([])
    for (const { id } of pushes) await finish(id)
    await tryInsert(db, 'theo', 'notification_preferences', { kind: 'verification', push: false })
    await notify(cast.theo)
    await notify(cast.grace)
    await pass('10 minutes')
    expect(await take()).toEqual([])
  })

  it('a kind that is required at the bell can be turned off here', async () => {
    await subscribe(db, 'theo')
    expect(
      await tryInsert(db, 'theo', 'notification_preferences', { kind: 'payments', push: false }),
    ).toBeNull()
    await notify(cast.theo, 'payout_sent', { amount: 80, task: 'Fence' })
    expect(await take()).toEqual([])
    const { rows } = await as(
      db,
      'theo',
    )(`select * from public.notification_settings() where kind = 'payments'`)
    expect(rows).toEqual([{ kind: 'payments', bell: true, email: true, push: false, required: true }])
  })

  it('that nobody reported on is handed out again; what is put off comes again, five times', async () => {
    await subscribe(db, 'theo')
    await notify(cast.theo)
    const [first] = await take()
    await pass('10 minutes')
    expect((await take())[0]?.id).toBe(first?.id)
    await fail(first?.id)
    expect(await take()).toEqual([])
    for (let tries = 3; tries <= 5; tries++) {
      await pass('1 hour')
      expect(await take()).toHaveLength(1)
      await fail(first?.id)
    }
    await pass('1 day')
    expect(await take()).toEqual([])
  })

  it('of yesterday is news no more', async () => {
    await subscribe(db, 'theo')
    await notify(cast.theo)
    await pass('25 hours')
    expect(await take()).toEqual([])
  })
})

describe('quiet hours', () => {
  const at = async (time: string) =>
    (
      await owner(db)(
        `select to_char(private.push_time($1, ('2026-01-10 ' || $2)::timestamp at time zone 'America/Regina')
           at time zone 'America/Regina', 'DD HH24:MI') as due`,
        [cast.theo, time],
      )
    ).rows[0].due

  it.each([
    [
      '22:00',
      '07:00',
      {
        '21:59': '10 21:59',
        '22:00': '11 07:00',
        '23:30': '11 07:00',
        '06:59': '10 07:00',
        '07:00': '10 07:00',
      },
    ],
    [
      '12:00',
      '13:30',
      { '11:59': '10 11:59', '12:15': '10 13:30', '13:30': '10 13:30', '23:00': '10 23:00' },
    ],
  ])('from %s until %s put off what comes in them until they end', async (starts, ends, times) => {
    expect(await tryInsert(db, 'theo', 'quiet_hours', { starts, ends })).toBeNull()
    for (const [time, due] of Object.entries(times)) expect(await at(time), time).toBe(due)
  })

  it('are nobody’s without a row, have an end, and hold back what is handed out', async () => {
    expect(await at('03:00')).toBe('10 03:00')
    expect(await tryInsert(db, 'theo', 'quiet_hours', { starts: '07:00', ends: '07:00' })).toMatch(
      /quiet_hours_end/,
    )
    await subscribe(db, 'theo')
    await owner(db)(
      `insert into public.quiet_hours (user_id, starts, ends) select $1, here - interval '1 hour', here + interval '1 hour'
       from (select (now() at time zone 'America/Regina')::time as here) n`,
      [cast.theo],
    )
    await notify(cast.theo)
    expect(await take()).toEqual([])
    await pass('1 hour 1 minute')
    expect(await take()).toHaveLength(1)
  })
})

describe('a browser', () => {
  beforeAll(() => owner(db)('delete from private.push_messages'))

  it('that ended its subscription is forgotten with what waits for it', async () => {
    await subscribe(db, 'theo')
    await notify(cast.theo)
    await notify(cast.theo)
    const [first] = await take()
    await fail(first?.id, 'gone')
    expect(await subscribed()).toEqual([])
    await pass('1 hour')
    expect(await take()).toEqual([])
  })

  it('belongs to its last user', async () => {
    const shared = await subscribe(db, 'theo')
    await subscribe(db, 'sam', shared)
    expect(await subscribed()).toEqual([{ endpoint: shared.endpoint, user_id: cast.sam }])
  })

  it('is pushed nothing once its session has ended', async () => {
    const { endpoint, p256dh, auth_secret } = newBrowser()
    await asSession(
      db,
      'theo',
      crypto.randomUUID(),
    )('select public.save_push_subscription($1, $2, $3)', [endpoint, p256dh, auth_secret])
    await notify(cast.theo)
    expect(await take()).toEqual([])
    expect(await subscribed()).toEqual([])
  })

  it('the eleventh takes the place of the first', async () => {
    const browsers = []
    for (let nth = 1; nth <= 11; nth++) browsers.push(await subscribe(db, 'theo'))
    expect((await subscribed()).map(({ endpoint }) => endpoint)).toEqual(
      browsers.slice(1).map(({ endpoint }) => endpoint),
    )
  })

  it('with something else than a subscription is refused by its field', async () => {
    const { endpoint, p256dh, auth_secret } = newBrowser()
    const save = (...given: string[]) =>
      refusal(as(db, 'theo')('select public.save_push_subscription($1, $2, $3)', given))
    const addresses: [string, RegExp][] = [
      ['javascript:alert(1)', /begins with https:/],
      ['http://updates.push.services.mozilla.com/1', /begins with https:/],
      [' https://updates.push.services.mozilla.com/1', /begins with https:/],
      [`https://fcm.googleapis.com/${'x'.repeat(1000)}`, /at most 1000 characters/],
      ['https://fcm.googleapis.com/a b', /without spaces/],
      ['https://fcm.googleapis.com/\u0130', /without spaces/],
      ['https://fcm.googleapis.com:8443/1', /at port 443/],
      ['https://fcm.googleapis.com:/1', /at port 443/],
    ]
    const hosts =
      `localhost|127.0.0.1|127.1|2130706433|0x7f000001|0x7f.1|0177.0.0.1|0|10.0.0.1|169.254.169.254|192.168.0.1.|[::1]|[::ffff:7f00:1]
[fd00::1]|[fe80::1%25eth0]|[::]|metadata.google.internal|host.docker.internal|kong|printer.local|push.localhost|router.lan|nas.home.arpa
1.0.0.127.in-addr.arpa|%31%32%37.0.0.1|good.example.com@127.0.0.1|fcm.googleapis.com\\@127.0.0.1|fcm.googleapis.com.|-a.com|a..com||.com|evil.1
user:pass@fcm.googleapis.com|fcm.googleapis.com:443@127.0.0.1`.split(/[|\n]/)
    for (const host of hosts) addresses.push([`https://${host}/1`, /its host has a public name|at port 443/])
    for (const [address, rule] of addresses) {
      const error = await save(address, p256dh, auth_secret)
      expect(error, address).toMatch(/^endpoint must be the address of a push service: /)
      expect(error, address).toMatch(rule)
    }
    const key = Buffer.from(p256dh, 'base64url')
    const short = key.subarray(0, 64).toString('base64url')
    const compressed = Buffer.concat([Buffer.from([2]), key.subarray(1)]).toString('base64url')
    for (const wrong of ['', 'x', short, compressed, `${p256dh}A`, `${p256dh.slice(0, 86)}+`])
      expect(await save(endpoint, wrong, auth_secret)).toMatch(
        /^p256dh must be a public key of P-256 in base64url: 65 bytes/,
      )
    for (const wrong of ['', 'x', auth_secret.slice(1), `${auth_secret}AA`, `${auth_secret.slice(0, 21)}/`])
      expect(await save(endpoint, p256dh, wrong)).toBe('auth_secret must be 16 bytes in base64url')
    expect(await subscribed()).toEqual([])
    for (const host of [
      'fcm.googleapis.com:443',
      'wns2-par02p.notify.windows.com',
      'xn--bcher-kva.push.apple.com',
    ])
      await as(db, 'theo')('select public.save_push_subscription($1, $2, $3)', [
        `https://${host}/1`,
        p256dh,
        auth_secret,
      ])
    expect(await subscribed()).toHaveLength(3)
  })
})
