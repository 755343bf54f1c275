// Sign-ins by way of a provider, walked through as a browser does: redirect after redirect, with its cookies.
import type { TestServer } from '../support/server.ts'

/** Cookies by host, as a browser keeps them; `fetch metadata` as it sends them. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>()

  /** Requests one address and follows nothing. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.jarOf(url)
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: {
        'sec-fetch-mode': 'navigate',
        ...(jar.size > 0 ? { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
        ...init.headers,
      },
    })
    this.keep(url, response)
    return response
  }

  /** Keeps the cookies of an answer that the page fetched itself. */
  keep(url: string, response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '') this.jarOf(url).delete(name)
      else this.jarOf(url).set(name, value)
    }
  }

  private jarOf(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.cookies.get(host) ?? new Map<string, string>()
    this.cookies.set(host, jar)
    return jar
  }

  /** Goes where the redirects lead, until `stop` says that an address is not to be opened any more. Answers that. */
  async follow(url: string, stop: (url: string) => boolean): Promise<string> {
    let next = url
    for (let step = 0; step < 20; step++) {
      if (stop(next)) return next
      const response = await this.open(next)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${next} answered ${response.status}: ${await response.text()}`)
      next = new URL(location, next).href
    }
    throw new Error(`no end of redirects at ${next}`)
  }
}

/** Whether an address is the way back from the provider. */
export const isCallback = (url: string): boolean => new URL(url).pathname === '/auth/v1/callback'

/** Whether an address is the application's. */
export const isSite =
  ({ url: site }: TestServer) =>
  (url: string): boolean =>
    new URL(url).origin === new URL(site).origin && !new URL(url).pathname.startsWith('/auth/v1/')

/** The parameters of an address's fragment, or of its query. */
export const fragmentOf = (url: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(new URL(url).hash.slice(1)))
export const queryOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams)
