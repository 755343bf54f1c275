// Where a link may send people: the site itself and what [auth] additional_redirect_urls lists, with GoTrue's globs.
// Follows https://supabase.com/docs/guides/auth/redirect-urls.
import { isIP } from 'node:net'

export type RedirectRules = { siteUrl: string; additional: string[] }

/** Compiles the allow-list; the result is true for a URL that may be redirected to. */
export function redirectAllowed({ siteUrl, additional }: RedirectRules): (url: string) => boolean {
  const site = new URL(siteUrl)
  const patterns = additional.map(globToRegExp)

  return (url) => {
    // Browsers skip control characters and spaces, so a check of such a URL would not hold for where it leads.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
    if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return false
    if (URL.canParse(url)) {
      const target = new URL(url)
      const web = target.protocol === 'http:' || target.protocol === 'https:'
      if (web && (target.username || target.password)) return false
      if (target.protocol === site.protocol && target.hostname === site.hostname) {
        // A native app on this machine listens on whatever port is free (RFC 8252, section 7.3).
        if (target.port === site.port || isLoopback(target.hostname)) return true
      }
      const address = target.hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) && !isLoopback(target.hostname)) return false
    } else if (/^https?:/i.test(url)) return false
    const withoutFragment = url.replace(/#.*$/s, '')
    return patterns.some((pattern) => pattern.test(withoutFragment))
  }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)

/**
 * `**` stands for anything, `*` for anything without dots and slashes, `?` for one such character, `[ab]` and
 * `{one,two}` for a choice; a backslash takes the next character literally.
 */
function globToRegExp(glob: string): RegExp {
  let choices = 0
  const source = glob.replace(/\*\*|\\.|\[!?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === '**') return '.*'
    if (part === '*') return '[^./]*'
    if (part === '?') return '[^./]'
    if (part.length > 1 && part.startsWith('\\')) return escapeRegExp(part.slice(1))
    if (part.length > 2 && part.startsWith('[')) {
      return part.replace(/\\/g, '\\\\').replace(/^\[!/, '[^')
    }
    if (part === '{') {
      choices++
      return '(?:'
    }
    if (part === '}' && choices > 0) {
      choices--
      return ')'
    }
    if (part === ',' && choices > 0) return '|'
    return escapeRegExp(part)
  })
  return new RegExp(`^${source}${')'.repeat(choices)}$`, 's')
}

const escapeRegExp = (value: string): string => value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** `url` with `parameters` as its fragment, in the place of an earlier one. */
export function withFragment(url: string, parameters: Record<string, string>): string {
  return `${url.replace(/#.*$/s, '')}#${new URLSearchParams(parameters)}`
}

/** `url` with `parameters` added to its query. */
export function withQuery(url: string, parameters: Record<string, string>): string {
  const [withoutFragment = '', fragment] = url.split('#', 2)
  const [path = '', query = ''] = withoutFragment.split(/\?(.*)/s, 2)
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(parameters)) all.set(name, value)
  return `${path}?${all}${fragment === undefined ? '' : `#${fragment}`}`
}

/** The session in the fragment of an address, which browsers do not send to servers. */
export const sessionParameters = (session: {
  access_token: string
  expires_at: number
  expires_in: number
  refresh_token: string
  token_type: string
}): Record<string, string> => ({
  access_token: session.access_token,
  expires_at: String(session.expires_at),
  expires_in: String(session.expires_in),
  refresh_token: session.refresh_token,
  token_type: session.token_type,
})
