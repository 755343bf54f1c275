// The app's page with a head of its own: what a function of the project says of an address, filled into app.html.

/** The answer of such a function. */
export interface PageHead {
  /** The page's own status. */
  status: number
  language: string
  direction: string
  /** HTML for the end of the head; it brings a title, and a description where there is one. */
  head: string
  /** HTML for who runs no JavaScript. */
  body: string
}

/** `html` with that head, in that language. What it says is taken as it is: the function escapes what others wrote. */
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
