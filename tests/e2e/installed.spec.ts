// The installed app: what its manifest promises is there, its worker opens it without a network, a new version waits
// until it is taken, and pictures shared with it reach the form of a task.
import type { Worker } from '@playwright/test'
import sharp from 'sharp'
import { expectFocusKept, expectGoodLooks } from './accessibility.ts'
import { expect, NARROW, NO_NETWORK, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { greenPng } from './pictures.ts'
import { startProxy } from './proxy.ts'
import { workerReady } from './workers.ts'

test.use({ serviceWorkers: 'allow' })

test('the manifest: pictures of the sizes that it says, addresses that exist, no complaint of the browser', async ({
  page,
  server,
}) => {
  await page.goto('/install')
  const manifest = await (await fetch(`${server.url}/manifest.webmanifest`)).json()
  const pictures = [...manifest.icons, ...manifest.screenshots].filter(({ sizes }) => sizes !== 'any')
  expect(pictures.some(({ purpose }) => purpose === 'maskable')).toBe(true)
  for (const { src, sizes, type } of pictures) {
    const response = await fetch(server.url + src)
    expect(response.headers.get('content-type'), src).toBe(type)
    const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
    expect(`${width}x${height}`, src).toBe(sizes)
  }
  for (const { name, url } of manifest.shortcuts) {
    await page.goto(url)
    await expect(page, name).toHaveURL(new RegExp(`^${server.url}(${url}|/auth)`))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  const browser = await page.context().newCDPSession(page)
  expect((await browser.send('Page.getAppManifest')).errors).toEqual([])
  await page.goto('/ar/install')
  const { data = '{}', errors } = await browser.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const arabic = JSON.parse(data)
  expect(arabic).toMatchObject({ id: manifest.id, lang: 'ar', dir: 'rtl', start_url: '/' })
  for (const { name } of [...arabic.shortcuts, { name: arabic.description }]) expect(name).toMatch(/[ء-ي]/)
  expect((await fetch(`${server.url}/service-worker.js`)).headers.get('cache-control')).toBe('no-cache')
})

test('without a network the app opens, at screens that were never visited too', async ({
  signedInPage,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  const page = await signedInPage('grace')
  await page.goto('/dashboard')
  await workerReady(page)
  await page.context().setOffline(true)
  await page.goto('/faq')
  await expect(page.getByRole('heading', { level: 1, name: 'Frequently asked questions' })).toBeVisible()
  await expect(page.getByText('You are offline').first()).toBeVisible()
})

test('a stranger without a network reads what is lacking, and it comes with the network', async ({
  page,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  const theo = (await (await server.signedIn('theo')).auth.getUser()).data.user?.id
  await page.goto('/install')
  await workerReady(page)
  const lacks = page.getByRole('main').getByRole('alert')
  for (const [address, lacking] of [
    ['/browse', 'Nothing is kept here yet'],
    ['/find-taskers', 'Failed to load taskers'],
    [`/profile/${theo}`, 'Failed to load profile'],
  ] as const) {
    await page.context().setOffline(true)
    await page.goto(address)
    await expect(lacks).toContainText(lacking)
    await expect(lacks).toContainText('You are offline.')
    await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
    await page.context().setOffline(false)
    await expect(lacks).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
})

test('a new version is offered, and only who takes it gets it', async ({ browser, server }) => {
  const proxy = await startProxy(server.url)
  const context = await browser.newContext({ baseURL: proxy.url, viewport: NARROW, reducedMotion: 'reduce' })
  try {
    const page = await context.newPage()
    await page.goto('/install')
    await workerReady(page)
    await page.reload()
    proxy.change('/service-worker.js', (text) => `${text}\n// the next version`)
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))
    const offer = toast(page, 'A new version is ready')
    await expect(offer).toBeVisible()
    await expectGoodLooks(page)
    const waiting = () =>
      page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting))
    // Not taken, it waits, whatever is loaded meanwhile.
    await page.goto('/faq')
    await page.goto('/install')
    expect(await waiting()).toBe(true)
    await expect(offer).toBeVisible()
    const loaded = page.waitForEvent('load')
    await offer.getByRole('button', { name: 'Update now' }).click()
    await loaded
    expect(await waiting()).toBe(false)
    await expect(page.getByRole('heading', { name: 'Why Install?' })).toBeVisible()
    await expect(offer).toHaveCount(0)
  } finally {
    await context.close()
    await proxy.close()
  }
})

test('a screen that the old version has not kept brings the new one by itself, once and never again and again', async ({
  browser,
  server,
}) => {
  const proxy = await startProxy(server.url)
  const context = await browser.newContext({ baseURL: proxy.url, reducedMotion: 'reduce' })
  try {
    const page = await context.newPage()
    let loads = 0
    page.on('load', () => loads++)
    await page.goto('/auth')
    const form = page.getByRole('main')
    await form.getByLabel('Email').fill(await server.newAccount('theo'))
    await form.getByLabel('Password', { exact: true }).fill('Meadowlark1')
    await form.locator('form').getByRole('button', { name: 'Sign In' }).click()
    await expect(page).toHaveURL('/dashboard')
    await workerReady(page)
    await page.reload()
    await expect(page.getByRole('main').getByRole('link', { name: 'Get Verified' })).toBeVisible()

    // A release: what the old version has not kept is gone until the new worker answers.
    const found = proxy.lose(/VerificationPage/)
    proxy.change('/service-worker.js', (text) => {
      found()
      return `${text}\n// the next version`
    })
    loads = 0
    await page.getByRole('main').getByRole('link', { name: 'Get Verified' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Get verified' })).toBeVisible()
    expect(loads).toBe(1)
    await expect(toast(page, 'A new version is ready')).toHaveCount(0)

    // The next one has not got it either: that is said, and nothing is loaded again.
    await page.goto('/dashboard')
    proxy.lose(/VerificationPage/)
    proxy.change('/service-worker.js', (text) => `${text}\n// the version after`)
    // A cached file would not be requested again.
    await page.evaluate(async () => void (await caches.delete('assets')))
    await (await context.newCDPSession(page)).send('Network.clearBrowserCache')
    loads = 0
    await page.getByRole('main').getByRole('link', { name: 'Get Verified' }).click()
    await expect(page.getByText('This page could not be shown')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(loads).toBe(0)
  } finally {
    await context.close()
    await proxy.close()
  }
})

test('a picture shared with the app is a photo of the task that is posted', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto('/install')
  await workerReady(page)
  const picture = await greenPng()
  // As the system posts what somebody shares: https://w3c.github.io/web-share-target/
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const chosen = new DataTransfer()
    chosen.items.add(new File([bytes], 'gate.png', { type: 'image/png' }))
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '/share-photos', enctype: 'multipart/form-data' })
    const input = Object.assign(document.createElement('input'), { type: 'file', name: 'photos' })
    input.files = chosen.files
    form.append(input)
    document.body.append(form)
    form.submit()
  }, picture.toString('base64'))
  await expect(page).toHaveURL(/\/post-task\?shared=photos$/)
  await expect(page.getByRole('img', { name: 'Photo 1' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove photo 1' }).click()
  // Taken once: loading the form anew does not bring it again.
  await page.reload()
  await expect(page.getByRole('button', { name: 'Add photos' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'Photo 1' })).toHaveCount(0)
})

test('a push is shown by the worker, and a click opens its subject in the app', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage('grace')
  const context = page.context()
  await page.goto('/dashboard')
  await workerReady(page)
  const isOwn = (worker: Worker) => worker.url().startsWith(server.url)
  // The last: the browser may still list the worker of a test that had it before.
  const worker = context.serviceWorkers().findLast(isOwn) as Worker
  // This Chromium has no system that shows notifications, and gives nobody the permission: what it would show is kept here.
  await worker.evaluate(() => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; shown: object[] }
    scope.shown = []
    scope.registration.showNotification = async (title, options) =>
      void scope.shown.push({ title, ...options })
  })
  const shown = () => worker.evaluate(() => (self as unknown as { shown: object[] }).shown)
  const browser = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.findLast(
        ({ scopeURL, isDeleted }) => scopeURL.startsWith(server.url) && !isDeleted,
      )
      if (own) resolve(own.registrationId)
    }),
  )
  await browser.send('ServiceWorker.enable')
  const told = { title: 'Application received', body: 'Theo applied.', link: '/bookings?tab=past' }
  await browser.send('ServiceWorker.deliverPushMessage', {
    origin: server.url,
    registrationId: await registered,
    data: JSON.stringify(told),
  })
  const { title, body, link } = told
  await expect.poll(shown).toEqual([{ title, body, icon: '/icon-192.png', tag: link, data: { link } }])

  // The system's action on a click.
  await worker.evaluate(() => {
    const scope = self as unknown as EventTarget & { shown: { data: object }[] }
    const notification = { data: scope.shown[0]?.data, close: () => scope.shown.pop() }
    const click = Object.assign(new Event('notificationclick'), { notification, waitUntil: () => {} })
    scope.dispatchEvent(click)
  })
  await expect(page).toHaveURL('/bookings?tab=past')
  expect(await shown()).toEqual([])
})

test('push messages are chosen by kind, and quiet hours are kept', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('grace'), NARROW)
  await page.goto('/notifications/settings')
  await expect(page.getByRole('switch', { name: 'Push: Payments' })).toBeChecked()
  await page.getByRole('switch', { name: 'Push: Messages' }).click()
  await expect(page.getByRole('switch', { name: 'Push: Messages' })).not.toBeChecked()
  await page.getByRole('switch', { name: /Quiet hours/ }).click()
  await expect(page.getByLabel('From', { exact: true })).toHaveValue('22:00')
  await page.getByLabel('Until', { exact: true }).fill('06:30')
  await page.getByLabel('Until', { exact: true }).blur()
  await expect(page.getByLabel('Until', { exact: true })).toHaveValue('06:30')
  // The link above the title lay under the bar at the top.
  await page.evaluate(() => scrollTo(0, 0))
  await expectGoodLooks(page)
  await page.reload()
  await expect(page.getByLabel('Until', { exact: true })).toHaveValue('06:30')
  await expect(page.getByRole('switch', { name: 'Push: Messages' })).not.toBeChecked()
})

test('push is asked about once somebody may answer, never as the app opens, and not again soon', async ({
  server,
  signedInPage,
}) => {
  const [first, second] = [await postedTask(server), await postedTask(server)]
  const page = await signedInPage(await server.newAccount('theo'), NARROW)
  // This Chromium gives nobody the permission and reaches no push service: their answers are faked here.
  await page.addInitScript(() => {
    const asked = { times: 0 }
    Object.defineProperty(Notification, 'permission', {
      get: () => (asked.times > 0 ? 'granted' : 'default'),
    })
    Notification.requestPermission = async () => {
      asked.times += 1
      return 'granted'
    }
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
    const endpoint = `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`
    const subscription = { endpoint, toJSON: () => ({ endpoint, keys }) } as unknown as PushSubscription
    PushManager.prototype.getSubscription = async () => (asked.times > 0 ? subscription : null)
    PushManager.prototype.subscribe = async () => subscription
  })
  await page.goto('/bookings')
  await expect(page.getByText('No bookings yet')).toBeVisible()
  const question = page.getByRole('status').filter({ hasText: 'Want to know when' })
  await expect(question).toHaveCount(0)

  const apply = async (taskId: string) => {
    await page.goto(`/task/${taskId}`)
    await page.getByRole('button', { name: 'Apply Now' }).click()
    await expect(page).toHaveURL(/\/bookings$/)
  }
  await apply(first.taskId)
  await expect(question).toContainText('Want to know when Grace')
  await expectGoodLooks(page)
  await question.getByRole('button', { name: 'Turn on' }).press('Enter')
  await expect(toast(page, 'Notifications on this device are on')).toBeVisible()
  await expect(question).toHaveCount(0)
  await expectFocusKept(page)

  // Whoever has decided, or was asked lately, is left alone: here the browser has forgotten that it was allowed.
  await apply(second.taskId)
  await expect(page.getByRole('heading', { name: second.title })).toBeVisible()
  await expect(question).toHaveCount(0)
})
