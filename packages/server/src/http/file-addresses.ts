// Files of the web app by their address, for whoever serves them: how long each is kept, and which addresses are
// pages.

/** The data that a host of static files needs next to hosted Supabase. All header names are in lower case. */
export interface StaticSite {
  /** `https://<ref>.supabase.co/functions/v1`. */
  functions: string
  /** Of every answer. */
  always: Record<string, string>
  /** Further headers of HTML. */
  pages: Record<string, string>
  /** The addresses of the app's screens; null for a build without that list. */
  addresses: AppAddresses | null
}

/** The build's addresses.json: the router's patterns, which English has as they are and other languages below their code. */
export interface AppAddresses {
  /** Codes of the languages that addresses name: `fr`. */
  languages: readonly string[]
  /** `/`, `/faq`, `/task/:id`. */
  addresses: readonly string[]
}

/** The regular expression of every known address, without a slash at its end; ordinary enough for nginx as well. */
export function addressPattern({ languages, addresses }: AppAddresses): string {
  const paths = addresses.map((path) => (path === '/' ? '' : path.replaceAll(/:\w+/g, '[^/]+')))
  return `^(/(${languages.join('|')}))?(${paths.join('|')})$`
}

/** Tells whether a path is a screen's; every path is one where the build does not list them. */
export function knownAddresses(app: AppAddresses | null): (path: string) => boolean {
  if (!app) return () => true
  const pattern = new RegExp(addressPattern(app))
  return (path) => pattern.test(path.replace(/\/$/, ''))
}

export const FOR_EVER = 'public, max-age=31536000, immutable'

/** Vite puts a hash of the content into the names below /assets. */
export function cacheControl(path: string): string {
  return path.startsWith('/assets/') ? FOR_EVER : 'no-cache'
}

/** Addresses of pages have no file extension. */
export function isPagePath(path: string): boolean {
  return !/\.[a-z0-9]{1,8}$/i.test(path)
}
