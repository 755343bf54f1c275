// Several hosts in a connection URL, as libpq writes them: what is read, and which of them the next attempt goes to.
import { expect, test } from 'vitest'
import { hostsOf, readHosts } from '../config/database-url.ts'
import { isRestarting } from './errors.ts'
import { attemptAt, currentUrl } from './hosts.ts'

const hosts = (url: string) => hostsOf(readHosts(url)).map(({ host, port }) => `${host} ${port}`)

test('hosts are read as libpq reads them, whatever else the URL holds', () => {
  expect(hosts('postgresql://ada:secret@db.example.com:6432/shop')).toEqual(['db.example.com 6432'])
  expect(hosts('postgres://ada:p%40ss@one:5432,two:5433/shop?sslmode=verify-full')).toEqual([
    'one 5432',
    'two 5433',
  ])
  expect(hosts('postgres://ada@one,[fd00::2]:5433/shop')).toEqual(['one 5432', 'fd00::2 5433'])
  expect(hosts('postgres://ada@%2Frun%2Fone:5432,%2Frun%2Ftwo:5432/shop')).toEqual([
    '/run/one 5432',
    '/run/two 5432',
  ])
  expect(hosts('postgres://ada@one/shop?host=one,two&port=5433')).toEqual(['one 5433', 'two 5433'])
})

test('addresses that lead to no writable host are refused', () => {
  for (const url of [
    'postgres://ada@one,two/shop?target_session_attrs=standby',
    'postgres://ada@one,,two/shop',
    'postgres://ada@one:5432,two:port/shop',
    'one,two',
  ])
    expect(() => readHosts(url), url).toThrow()
})

test('a host that is away makes the next attempt go to the next one, once, and all that share the list follow', () => {
  const url = readHosts('postgres://ada:secret@one,two/shop?target_session_attrs=read-write&sslmode=require')
  const asRequests = url.replace('ada', 'grace')
  const [first, second] = [attemptAt(url), attemptAt(asRequests)]
  expect(first.connectionString).toBe('postgres://ada:secret@one:5432/shop?sslmode=require')
  const away = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' })
  first.failed(away)
  second.failed(away)
  expect(isRestarting(away)).toBe(true)
  expect(currentUrl(asRequests)).toBe('postgres://grace:secret@two:5432/shop?sslmode=require')
  const refused = Object.assign(new Error('password authentication failed'), { code: '28P01' })
  attemptAt(url).failed(refused)
  expect(isRestarting(refused)).toBe(false)
  expect(currentUrl(url)).toContain('@two:5432/')
})

test('a URL with one host is left as it is', () => {
  const url = 'postgresql://ada:secret@db.example.com/shop?sslmode=require'
  const { connectionString, isWatched } = attemptAt(readHosts(url))
  expect([connectionString, isWatched]).toEqual([url, false])
})
