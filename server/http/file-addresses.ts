// Files of the web app by their address, for whoever serves them: how long each is kept, and what is the address of a page.

/** What a host of static files beside hosted Supabase has to know. All names of headers are in lower case. */
export interface StaticSite {
  /** `https://<ref>.supabase.co/functions/v1`. */
  functions: string
  /** Of every answer. */
  always: Record<string, string>
  /** Of HTML besides. */
  pages: Record<string, string>
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
