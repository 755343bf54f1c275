// A CAPTCHA on the forms from which the auth service takes tokens. A local stand-in for hCaptcha has its script,
// the challenge that it draws outside of the app, and the address that judges tokens.

import type { Page } from '@playwright/test'
import { type Listener, listen } from '../../packages/server/tests/support/listener.ts'
import { expectGoodLooks } from './accessibility.ts'
import { test as base, expect } from './fixtures.ts'
import { type AppServer, startAppServer } from './server.ts'

/** A box in the place it is given; who ticks it gets a challenge at the end of the page. */
const WIDGET = `
window.hcaptcha = {
  render(place, { sitekey, callback }) {
    const button = (text, clicked) => Object.assign(document.createElement('button'), { textContent: text, onclick: clicked })
    const box = button('I am human (' + sitekey + ')', () => {
      const challenge = button('The bird', () => {
        challenge.remove()
        callback(crypto.randomUUID())
      })
      challenge.style = 'position: fixed; inset: 0 auto auto 0; z-index: 2147483647; background: #fff; color: #000'
      document.body.append(challenge)
    })
    box.style.minHeight = '2.75rem'
    place.append(box)
    return 'widget'
  },
  remove() {},
}
window[new URL(document.currentScript.src).searchParams.get('onload')]()
`

type Captcha = Listener & { refusesNext: boolean }

const test = base.extend<{ captcha: Captcha }, { started: { captcha: Captcha; server: AppServer } }>({
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const used = new Set<string>()
      const captcha: Captcha = Object.assign(
        await listen(({ path, body }) => {
          if (path.startsWith('/api.js'))
            return { headers: { 'content-type': 'text/javascript' }, body: WIDGET }
          const token = new URLSearchParams(body).get('response') ?? ''
          // As with the provider, a token counts once.
          const success = !captcha.refusesNext && !used.has(token)
          used.add(token)
          captcha.refusesNext = false
          return { body: JSON.stringify({ success }) }
        }),
        { refusesNext: false },
      )
      const server = await startAppServer(async () => ({
        SUPABASE_AUTH_CAPTCHA_ENABLED: 'true',
        SUPABASE_AUTH_CAPTCHA_PROVIDER: 'hcaptcha',
        SUPABASE_AUTH_CAPTCHA_SECRET: 'private',
        SUPABASE_AUTH_CAPTCHA_SITE_KEY: 'public',
        SUPABASE_AUTH_CAPTCHA_VERIFY_URL: `${captcha.url}/siteverify`,
        SUPABASE_AUTH_CAPTCHA_SCRIPT_URL: `${captcha.url}/api.js`,
      }))
      await use({ captcha, server })
      await server.stop()
      await captcha.close()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  server: [async ({ started }, use) => use(started.server), { scope: 'worker' }],
  captcha: async ({ started, problems }, use) => {
    problems.allow(new RegExp(`^another origin: ${started.captcha.url}/`))
    await use(started.captcha)
  },
})

const prompt = (page: Page) => page.getByRole('dialog', { name: 'Are you a person?' })

async function solve(page: Page) {
  await prompt(page).getByRole('button', { name: 'I am human (public)' }).click()
  await page.getByRole('button', { name: 'The bird' }).click()
  await expect(prompt(page)).toBeHidden()
}

test('signing in, a forgotten password and deleting the account ask for a CAPTCHA each time', async ({
  page,
  captcha,
  problems,
}) => {
  const main = page.getByRole('main')
  await page.goto('/auth')
  await page.getByLabel('Email').fill('sam@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  const signIn = main.getByRole('button', { name: 'Sign In', exact: true })
  // Nothing of the provider's is loaded before it is needed.
  expect(captcha.received).toEqual([])

  await signIn.click()
  await expect(prompt(page).getByRole('button', { name: /^I am human/ })).toBeVisible()
  await expectGoodLooks(page)
  await prompt(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(main.getByRole('alert')).toContainText('This needs a short check')

  problems.allow(/^400 POST \/auth\/v1\/token/)
  captcha.refusesNext = true
  await signIn.click()
  await solve(page)
  await expect(main.getByRole('alert')).toContainText('We could not confirm that you are a person')

  await main.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email').fill('grace@example.com')
  await main.getByRole('button', { name: 'Send the link' }).click()
  await solve(page)
  await expect(main.getByRole('status')).toContainText('grace@example.com')

  await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  await page.getByLabel('Email').fill('sam@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  await signIn.click()
  await solve(page)

  // Over a dialog that takes every click from the page, and stays open.
  await main.getByRole('button', { name: 'Delete Account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Account' })
  await dialog.getByLabel('Type sam@example.com to confirm').fill('sam@example.com')
  await dialog.getByLabel('Current password').fill('Meadowlark2')
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
  await solve(page)
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password')
  await dialog.getByRole('button', { name: 'Send me a code instead' }).click()
  await solve(page)
  await expect(dialog).toContainText('We sent it to sam@example.com.')
})
