// Shared by both workers: the app's addresses, and their cached answers.

/** Addresses that are not the app's: services, the payment stand-in, files. */
export const NOT_PAGES = [
  /^\/(auth\/v1|rest|storage|functions|realtime|graphql|sandbox|health|metrics)(\/|$)/,
  /\.[a-z0-9]{1,8}$/i,
]

/** A kept answer, whose `Date` must not be taken for the time of now (web/lib/serverClock.ts). */
export function withoutDate(kept: Response): Response {
  const headers = new Headers(kept.headers)
  headers.delete('date')
  return new Response(kept.body, { status: kept.status, headers })
}
