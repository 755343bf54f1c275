// CAPTCHA tokens for the auth service: who calls it asks here for one, and the prompt of web/ui shows the provider's widget.
// hCaptcha and Turnstile have one interface: https://docs.hcaptcha.com/configuration,
// https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
import i18next from 'i18next'
import { type CaptchaConfig, config } from './config.ts'
import { createStore, type ReadonlyStore } from './store.ts'

type Widgets = {
  render(place: HTMLElement, options: Record<string, unknown>): string
  remove(widget: string): void
}

type Asked = { resolve: (token: string) => void; reject: (error: Error) => void }

const asked = createStore<Asked | null>(null)
// A provider's challenge is outside the app, where an open dialog lets nobody click (web/ui/tokens.css).
asked.subscribe(() => document.documentElement.toggleAttribute('data-captcha', asked.get() !== null))

let loaded: Promise<Widgets> | undefined

/**
 * A token for one request; undefined where the auth service asks for none. Rejects with an Error for the person to read
 * when they give up, or the provider cannot be reached.
 */
export function captchaToken(): Promise<string | undefined> {
  if (!config.captcha) return Promise.resolve(undefined)
  asked.get()?.reject(givenUp())
  return new Promise((resolve, reject) => asked.set({ resolve, reject }))
}

const givenUp = () => new Error(i18next.t('errors.captchaGivenUp'))

/** For the prompt: the request that waits for a token, and how it ends. */
export const captchaPrompt = {
  asked: asked as ReadonlyStore<Asked | null>,
  solve: (token: string) => end(({ resolve }) => resolve(token)),
  giveUp: () => end(({ reject }) => reject(givenUp())),
  fail: () => end(({ reject }) => reject(new Error(i18next.t('errors.captchaUnreachable')))),
}

/** Dialogs below receive the click that solved it a moment later, and must still know its origin then. */
function end(settle: (one: Asked) => void) {
  const one = asked.get()
  if (!one) return
  settle(one)
  setTimeout(() => {
    if (asked.get() === one) asked.set(null)
  })
}

/** Shows the widget in `place`. Resolves to what takes it away again; rejects where its script does not come. */
export async function showCaptcha(
  captcha: CaptchaConfig,
  place: HTMLElement,
  { theme, language }: { theme: string; language: string },
): Promise<() => void> {
  loaded ??= loadWidgets(captcha, language)
  loaded.catch(() => {
    loaded = undefined
  })
  const widgets = await loaded
  const widget = widgets.render(place, {
    sitekey: captcha.siteKey,
    theme,
    language,
    callback: captchaPrompt.solve,
    'error-callback': captchaPrompt.fail,
  })
  return () => widgets.remove(widget)
}

declare global {
  interface Window {
    hcaptcha?: Widgets
    turnstile?: Widgets
    /** Called by the provider's script once it is ready. */
    onCaptchaReady?: () => void
  }
}

function loadWidgets({ provider, scriptUrl }: CaptchaConfig, language: string): Promise<Widgets> {
  return new Promise((resolve, reject) => {
    window.onCaptchaReady = () => {
      const widgets = window[provider]
      if (widgets) resolve(widgets)
      else reject(new Error(`${scriptUrl} brought no widget`))
    }
    const url = new URL(scriptUrl)
    url.searchParams.set('render', 'explicit')
    url.searchParams.set('onload', 'onCaptchaReady')
    if (provider === 'hcaptcha') url.searchParams.set('hl', language)
    const script = document.createElement('script')
    script.src = url.href
    script.async = true
    script.onerror = () => {
      script.remove()
      reject(new Error(`${url.origin} sent no script`))
    }
    document.head.append(script)
  })
}
