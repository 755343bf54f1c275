// The frame of the sandbox's own pages: rendered on the server, in the product's paper, ink and wheat, with nothing
// loaded from anywhere. Everything put into a page goes through hono's html`` and is escaped by it.
import { randomBytes } from 'node:crypto'
import { html, raw } from 'hono/html'
import { type Answer, text } from './answer.ts'

export type Markup = ReturnType<typeof html>

const STYLE = `
:root{color-scheme:light;--paper:#fbf7ee;--surface:#fffdf8;--sunken:#f3ecdd;--ink:#1a2130;--soft:#474d5b;--faint:#666874;--line:#e4dac7;--strong:#8f8672;--wheat:#f4bc30;--wheat-soft:#fdf0ca;--wheat-ink:#75500a;--on-wheat:#1d1707;--sky:#0c6092;--sky-soft:#dfeff8}
[data-theme=dark]{color-scheme:dark;--paper:#0f141e;--surface:#161d2a;--sunken:#1e2635;--ink:#f4eee1;--soft:#c0c3c9;--faint:#979eab;--line:#293344;--strong:#6b778a;--wheat:#f5c548;--wheat-soft:#372d12;--wheat-ink:#f7d57a;--sky:#82c8f1;--sky-soft:#132c40}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,sans-serif;-webkit-text-size-adjust:100%}
h1,h2{margin:0;line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
h1{font-size:1.75rem}h2{font-size:1.25rem}
p{margin:0}
a{color:var(--sky);text-underline-offset:3px}
:focus-visible{outline:2px solid var(--sky);outline-offset:2px;border-radius:4px}
.bar{background:var(--wheat-soft);color:var(--wheat-ink);border-bottom:1px solid var(--line);padding:.4rem 1.25rem;font-size:.875rem}
.button{display:inline-block;border:1px solid var(--strong);border-radius:10px;background:var(--surface);color:var(--ink);font:inherit;font-weight:600;padding:.65rem 1.1rem;min-height:2.75rem;cursor:pointer;text-decoration:none}
.button:hover{background:var(--sunken)}
.button.primary{background:var(--wheat);border-color:var(--wheat);color:var(--on-wheat)}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`

export type Page = {
  title: string
  /** The page's own, as `script` is; never made of anybody's input. */
  css?: string
  script?: string
  body: Markup
  status?: number
}

/** Answers a whole page. */
export async function page({ title, css = '', script = '', body, status = 200 }: Page): Promise<Answer> {
  const nonce = randomBytes(16).toString('base64')
  // The style of a mail shown in a frame falls under this policy, too: styles may be inline, scripts may not.
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action *; frame-ancestors 'self'; base-uri 'none'`
  // The app keeps its theme in localStorage; its pages and these look alike.
  const theme = `const t=localStorage.getItem('theme');if(t==='dark'||(t==='system'&&matchMedia('(prefers-color-scheme: dark)').matches))document.documentElement.dataset.theme='dark'`
  const whole = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${raw(STYLE + css)}</style>
<script nonce="${nonce}">${raw(theme)}</script>
</head>
<body>
${body}
${script ? html`<script nonce="${nonce}">${raw(script)}</script>` : ''}
</body>
</html>`
  return text(String(whole), status, {
    'content-type': 'text/html; charset=UTF-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
  })
}
