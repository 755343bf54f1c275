// Addresses through storage-js: public ones, signed ones for reading (one and many), and signed ones for uploading.
import { beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import {
  bare,
  bareJson,
  errorOf,
  forbidden,
  makeBucket,
  objectMissing,
  startStorage,
  taken,
} from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['shut'] })

beforeAll(async () => {
  await makeBucket(service, 'open', { public: true })
  for (const bucket of ['open', 'shut']) {
    for (const name of ['letter.txt', 'a b/süß.txt']) {
      await service.storage.from(bucket).upload(name, `dear ${bucket}`, { contentType: 'text/plain' })
    }
  }
})

const fetchText = async (url: string) => {
  const answer = await fetch(url)
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}
const rejection = async (url: string, init?: RequestInit) => {
  const answer = await fetch(url, init)
  expect(answer.status).toBe(400)
  return (await answer.json()) as { statusCode: string; error: string; message: string }
}
const sign = (claims: object) =>
  server.services.keys.sign({ exp: Math.floor(Date.now() / 1000) + 60, ...claims } as never)

describe('a public address', () => {
  test('opens an object of a public bucket to anyone', async () => {
    for (const name of ['letter.txt', 'a b/süß.txt']) {
      const { publicUrl } = stranger(server).storage.from('open').getPublicUrl(name).data
      const { status, text, headers } = await fetchText(publicUrl)
      expect([status, text]).toEqual([200, 'dear open'])
      expect(headers.get('cache-control')).toBe('max-age=3600')
      expect(headers.get('content-disposition')).toBeNull()
    }
  })

  test('saves the object under its own name or another', async () => {
    const at = (download: string | boolean) =>
      stranger(server).storage.from('open').getPublicUrl('letter.txt', { download }).data.publicUrl
    const own = await fetchText(at(true))
    expect(own.headers.get('content-disposition')).toBe('attachment; filename="letter.txt"')
    const other = await fetchText(at('Brief für Ada.txt'))
    expect(other.headers.get('content-disposition')).toContain("filename*=UTF-8''Brief%20f%C3%BCr%20Ada.txt")
  })

  test('opens nothing of a private bucket, and does not tell whether it is there', async () => {
    const { publicUrl } = stranger(server).storage.from('shut').getPublicUrl('letter.txt').data
    const missing = { statusCode: '404', error: 'Bucket not found', message: 'Bucket not found' }
    expect(await rejection(publicUrl)).toEqual(missing)
    expect(await rejection(publicUrl.replace('letter', 'nothing'))).toEqual(missing)
    expect(await rejection(publicUrl.replace('shut', 'nowhere'))).toEqual(missing)
    expect(await rejection(publicUrl.replace('/public', ''))).toEqual(missing)
    expect(await rejection(publicUrl.replace('/public', '/info/public'))).toEqual(missing)
  })

  test('reports a missing object in a public bucket', async () => {
    const { publicUrl } = stranger(server).storage.from('open').getPublicUrl('nothing.txt').data
    expect(await rejection(publicUrl)).toEqual({
      statusCode: '404',
      error: 'not_found',
      message: 'Object not found',
    })
  })

  test('has information and headers too, and a public object needs no "public" in its path', async () => {
    const info = await bare(server, '/object/info/public/open/letter.txt', { key: null })
    expect(await info.json()).toMatchObject({ name: 'letter.txt', size: 9 })
    const head = await bare(server, '/object/public/open/letter.txt', { method: 'HEAD', key: null })
    expect(head.headers.get('content-length')).toBe('9')
    const plain = await bare(server, '/object/open/letter.txt', { key: null })
    expect(await plain.text()).toBe('dear open')
    // A session that has run out is no reason to lock anyone out of a public picture.
    const expired = await bare(server, '/object/open/letter.txt', {
      key: null,
      headers: { authorization: `Bearer ${await sign({ role: 'authenticated', exp: 1_700_000_000 })}` },
    })
    expect(await expired.text()).toBe('dear open')
    // Nor is one that no policy names.
    expect(await (await grace.storage.from('open').download('letter.txt')).data?.text()).toBe('dear open')
    expect((await grace.storage.from('open').info('letter.txt')).data?.size).toBe(9)
    const own = await bare(server, '/object/authenticated/open/letter.txt')
    expect(await own.json()).toMatchObject({ message: 'Object not found' })
  })
})

describe('a signed address', () => {
  test('opens a private object to anyone for a while', async () => {
    for (const name of ['letter.txt', 'a b/süß.txt']) {
      const { data, error } = await grace.storage.from('shut').createSignedUrl(name, 60)
      expect(error).toBeNull()
      const { status, text, headers } = await fetchText(data?.signedUrl as string)
      expect([status, text]).toEqual([200, 'dear shut'])
      const expires = Date.parse(headers.get('expires') as string)
      expect(expires).toBeGreaterThan(Date.now() + 50_000)
      expect(expires).toBeLessThan(Date.now() + 61_000)
    }
  })

  test('saves under a name', async () => {
    const { data } = await grace.storage
      .from('shut')
      .createSignedUrl('letter.txt', 60, { download: 'note.txt' })
    const { headers } = await fetchText(data?.signedUrl as string)
    expect(headers.get('content-disposition')).toBe('attachment; filename="note.txt"')
  })

  test('may carry a nonce that tells caches apart', async () => {
    const from = grace.storage.from('shut')
    const { data } = await from.createSignedUrl('letter.txt', 60, { cacheNonce: '7', download: true })
    expect(data?.signedUrl).toMatch(/cacheNonce=7/)
    expect((await fetchText(data?.signedUrl as string)).text).toBe('dear shut')
    const open = stranger(server).storage.from('open').getPublicUrl('letter.txt', { cacheNonce: '8' })
    expect((await fetchText(open.data.publicUrl)).text).toBe('dear open')
    expect((await from.download('letter.txt', { cacheNonce: '9' })).error).toBeNull()
  })

  test('ends on time, and holds for that object and for reading only', async () => {
    const url = (name: string, token: string, bucket = 'shut') =>
      `${server.url}/storage/v1/object/sign/${bucket}/${name}?token=${token}`
    const token = await sign({ scope: 'download', url: 'shut/letter.txt' })
    expect((await fetchText(url('letter.txt', token))).status).toBe(200)
    const invalid = { statusCode: '400', error: 'InvalidSignature', message: 'Invalid signature' }
    expect(await rejection(url('other.txt', token))).toEqual(invalid)
    expect(await rejection(url('letter.txt', token, 'open'))).toEqual(invalid)
    const late = await sign({
      scope: 'download',
      url: 'shut/letter.txt',
      exp: Math.floor(Date.now() / 1000) - 2,
    })
    expect(await rejection(url('letter.txt', late))).toEqual({
      statusCode: '400',
      error: 'InvalidJWT',
      message: '"exp" claim timestamp check failed',
    })
    expect(await rejection(url('letter.txt', 'nonsense'))).toMatchObject({ message: 'Invalid Compact JWS' })
    const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    expect(await rejection(url('letter.txt', forged))).toMatchObject({ error: 'InvalidJWT' })
    expect(await rejection(url('letter.txt', ''))).toEqual({
      statusCode: '400',
      error: 'Error',
      message: "querystring must have required property 'token'",
    })
    const upload = await sign({ scope: 'upload', url: 'shut/letter.txt', upsert: true })
    expect(await rejection(url('letter.txt', upload))).toMatchObject({
      message: 'Token is not scoped for download',
    })
    // A session's own token opens nothing by itself, and a signed address gives no session.
    const session = (await grace.auth.getSession()).data.session?.access_token as string
    expect(await rejection(url('letter.txt', session))).toMatchObject({ error: 'InvalidSignature' })
    const asBearer = await bare(server, '/object/authenticated/shut/letter.txt', {
      key: null,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await asBearer.json()).toMatchObject({ statusCode: '404' })
  })

  test('is given for what the signer may read', async () => {
    const theirs = await stranger(server).storage.from('shut').createSignedUrl('letter.txt', 60)
    expect(errorOf(theirs.error)).toEqual(objectMissing)
    const missing = await grace.storage.from('shut').createSignedUrl('nothing.txt', 60)
    expect(errorOf(missing.error)).toEqual(objectMissing)
  })

  test.each([0, -1, 1.5, 1e12, Number.NaN])('is given for no time such as %d', async (seconds) => {
    const { error } = await grace.storage.from('shut').createSignedUrl('letter.txt', seconds)
    expect(error).toMatchObject({ status: 400, statusCode: '400' })
    expect(error?.message).toMatch(/^body\/expiresIn must be/)
  })

  test('comes for many at once, with a word for each that is not to be had', async () => {
    const { data, error } = await grace.storage
      .from('shut')
      .createSignedUrls(['letter.txt', 'nothing.txt', 'a b/süß.txt'], 60, { download: true })
    expect(error).toBeNull()
    expect(data?.map((one) => [one.path, one.error, typeof one.signedUrl])).toEqual([
      ['letter.txt', null, 'string'],
      ['nothing.txt', 'Either the object does not exist or you do not have access to it', 'object'],
      ['a b/süß.txt', null, 'string'],
    ])
    for (const one of data?.filter(({ signedUrl }) => signedUrl) ?? []) {
      const { text, headers } = await fetchText(one.signedUrl as string)
      expect(text).toBe('dear shut')
      expect(headers.get('content-disposition')).toMatch(/^attachment/)
    }
  })

  test('is signed once for each name, and for so many names only', async () => {
    const many = (count: number) =>
      grace.storage.from('shut').createSignedUrls(Array(count).fill('letter.txt'), 60)
    const { data } = await many(10_000)
    expect(data).toHaveLength(10_000)
    expect(new Set(data?.map(({ signedUrl }) => signedUrl)).size).toBe(1)
    const { error } = await many(10_001)
    expect(error?.message).toBe('body/paths must NOT have more than 10000 items')
  })
})

describe('a signed upload', () => {
  test('lets anyone put one object in the place of whoever signed', async () => {
    const { data, error } = await grace.storage.from('shut').createSignedUploadUrl('gift.txt')
    expect(error).toBeNull()
    expect(data?.path).toBe('gift.txt')
    expect(data?.signedUrl).toContain('/object/upload/sign/shut/gift.txt?token=')
    const sent = await stranger(server)
      .storage.from('shut')
      .uploadToSignedUrl('gift.txt', data?.token as string, 'honey', { metadata: { jars: 2 } })
    expect(sent).toEqual({ data: { path: 'gift.txt', fullPath: 'shut/gift.txt' }, error: null })
    const { rows } = await server.database.pool.query(
      `select owner_id, user_metadata from storage.objects where name = 'gift.txt'`,
    )
    const { data: user } = await grace.auth.getUser()
    expect(rows).toEqual([{ owner_id: user.user?.id, user_metadata: { jars: 2 } }])
  })

  test('replaces only when it was signed so, whatever the sender says', async () => {
    const once = (await grace.storage.from('shut').createSignedUploadUrl('twice.txt')).data?.token as string
    const put = (token: string, body: string) =>
      stranger(server).storage.from('shut').uploadToSignedUrl('twice.txt', token, body, { upsert: true })
    expect((await put(once, 'one')).error).toBeNull()
    expect(errorOf((await put(once, 'two')).error)).toEqual(taken)
    const again = await grace.storage.from('shut').createSignedUploadUrl('twice.txt', { upsert: true })
    expect((await put(again.data?.token as string, 'three')).error).toBeNull()
    expect(await (await grace.storage.from('shut').download('twice.txt')).data?.text()).toBe('three')
    expect(errorOf((await grace.storage.from('shut').createSignedUploadUrl('twice.txt')).error)).toEqual(
      taken,
    )
  })

  test('takes a Blob, holds to the limits, and needs no key', async () => {
    const { data } = await grace.storage.from('shut').createSignedUploadUrl('blob.txt')
    const body = new FormData()
    body.append('', new Blob(['bees'], { type: 'text/plain' }))
    const answer = await fetch(data?.signedUrl as string, { method: 'PUT', body })
    expect(await answer.json()).toEqual({ Key: 'shut/blob.txt' })
  })

  test('is given for what the signer may put, and holds for that object only', async () => {
    const theirs = await stranger(server).storage.from('shut').createSignedUploadUrl('x.txt')
    expect(errorOf(theirs.error)).toEqual(forbidden)
    const token = (await grace.storage.from('shut').createSignedUploadUrl('x.txt')).data?.token as string
    const elsewhere = await stranger(server).storage.from('shut').uploadToSignedUrl('y.txt', token, 'x')
    expect(elsewhere.error?.message).toBe('Invalid signature')
    const reading = await sign({ scope: 'download', url: 'shut/y.txt' })
    const misused = await stranger(server).storage.from('shut').uploadToSignedUrl('y.txt', reading, 'x')
    expect(misused.error?.message).toBe('Token is not scoped for upload')
    const keyless = await bareJson(server, '/object/upload/sign/shut/x.txt', {}, { key: null })
    expect(await keyless.json()).toMatchObject({
      message: "headers must have required property 'authorization'",
    })
  })
})
