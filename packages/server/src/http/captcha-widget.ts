// The CAPTCHA's widget on pages of the web app: its part of /config.json, and the origins that it loads from.
// https://docs.hcaptcha.com/#content-security-policy-settings,
// https://developers.cloudflare.com/turnstile/reference/content-security-policy/
import type { ConfigFile } from '../config/file.ts'
import type { PolicySources } from './security-headers.ts'

const WIDGETS = {
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    origins: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    directives: ['script-src', 'frame-src', 'style-src', 'connect-src'],
  },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    origins: ['https://challenges.cloudflare.com'],
    directives: ['script-src', 'frame-src'],
  },
}

type CaptchaSettings = ConfigFile['auth']['captcha']

/** For /config.json; nothing where no page needs a token. */
export function captchaConfiguration({ enabled, provider, site_key, script_url }: CaptchaSettings): {
  captcha?: { provider: CaptchaSettings['provider']; siteKey: string; scriptUrl: string }
} {
  if (!enabled || !site_key) return {}
  const scriptUrl = script_url ?? WIDGETS[provider].script
  return { captcha: { provider, siteKey: site_key, scriptUrl } }
}

/** Sources that the content security policy of pages must allow; none if no page needs a token. */
export function captchaSources(settings: CaptchaSettings): PolicySources {
  if (!captchaConfiguration(settings).captcha) return {}
  const { directives, origins } = WIDGETS[settings.provider]
  const from = settings.script_url ? [new URL(settings.script_url).origin] : origins
  return Object.fromEntries(directives.map((directive) => [directive, from]))
}
