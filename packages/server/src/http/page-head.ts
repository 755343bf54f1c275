// The app's page with its own head: a function of the project describes the address, and app.html is filled in.

/** The answer of such a function. */
export interface PageHead {
  /** The page's own status. */
  status: number
  language: string
  direction: string
  /** HTML for the end of the head; it brings a title, and a description where there is one. */
  head: string
  /** HTML for readers without JavaScript. */
  body: string
}

/**
 * `html` with that head, in that language. Its answer is used unchanged: the function escapes texts that others
 * wrote.
 */
export function fillHead(html: string, { language, direction, head, body }: PageHead): string {
  const described = head.includes('name="description"')
  return html
    .replace(
      /(<html [^>]*?)lang="[^"]*" dir="[^"]*"/,
      (_, before) => `${before}lang="${language}" dir="${direction}"`,
    )
    .replace(/<title>.*?<\/title>/s, '')
    .replace(/<meta\s+name="description"[^>]*>/, (whole) => (described ? '' : whole))
    .replace('</head>', () => `${head}\n</head>`)
    .replace('<noscript>', () => `<noscript>${body}`)
}
