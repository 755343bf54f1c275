// The HTML of an e-mail: the sheet that the e-mails of supabase/templates have, light and dark, readable on a phone.
// Every value is escaped by hono's `html`, or where it is filled into one of our texts (values.ts).
import { html, raw } from 'hono/html'
import { direction, type Language } from '../../../shared/language.ts'
import type { Section } from './email.ts'
import type { FooterLink } from './unsubscribing.ts'

type Direction = 'ltr' | 'rtl'

const FONT = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

const STYLE = `
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
        .paper { background: #0f141e !important; }
        .sheet { background: #161d2a !important; border-color: #293344 !important; }
        .ink { color: #f4eee1 !important; }
        .soft { color: #c0c3c9 !important; }
        .faint { color: #979eab !important; }
        .link { color: #82c8f1 !important; }
        .line { border-color: #293344 !important; }
      }
      @media (max-width: 480px) {
        .sheet { padding: 28px 22px !important; }
        .button { display: block !important; text-align: center !important; }
      }`

export type Sheet = {
  subject: string
  /** The preview that mail programs show next to the subject. */
  preview: string
  sections: Section[]
  footer: Footer
  language: Language
}

/** `html`: `sentTo` as HTML. `required`: why it cannot be turned off, or a part of it; null when all of it can. */
export type Footer = { sentTo: string; html: string; required: string | null; links: FooterLink[] }

/** The whole document. */
export function sheet({ subject, preview, sections, footer, language }: Sheet): string {
  const dir = direction(language)
  return String(html`<!doctype html>
<html lang="${language}" dir="${dir}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
    <meta name="color-scheme" content="light dark">
    <meta name="supported-color-schemes" content="light dark">
    <title>${subject}</title>
    <style>${raw(STYLE)}
    </style>
  </head>
  <body class="paper" style="margin: 0; padding: 0; background: #fbf7ee; -webkit-text-size-adjust: 100%;">
    <div aria-hidden="true" style="display: none; max-height: 0; overflow: hidden; mso-hide: all;">${preview}</div>
    <table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background: #fbf7ee;">
      <tr>
        <td align="center" style="padding: 32px 16px 40px;">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 560px;">
            <tr>
              <td style="padding: 0 4px 20px;">
                <table role="presentation" cellpadding="0" cellspacing="0" border="0">
                  <tr>
                    <td aria-hidden="true" width="34" height="34" align="center" valign="middle" style="width: 34px; height: 34px; border-radius: 17px; background: #f4bc30; color: #1d1707; font: 800 19px/34px 'Arial Black', Arial, sans-serif;">V</td>
                    <td class="ink" style="padding: 0 11px; color: #1a2130; font: 700 20px/34px ${raw(FONT)}; letter-spacing: -0.01em;">Meadowlark</td>
                  </tr>
                </table>
              </td>
            </tr>
            <tr>
              <td class="sheet" style="padding: 36px 40px; background: #fffdf8; border: 1px solid #e4dac7; border-radius: 14px; font-family: ${raw(FONT)}; overflow-wrap: anywhere;">
                ${sections.map((section, index) => drawn(section, index, dir))}
              </td>
            </tr>
            <tr>
              <td class="faint" style="padding: 20px 4px 0; color: #666874; font: 400 13px/20px ${raw(FONT)}; overflow-wrap: anywhere;">
                ${raw(footer.html)}${footer.required ? ` ${footer.required}` : ''}
                ${footer.links.map(
                  ({ text, address }) =>
                    html`<a class="link" href="${address}" style="display: block; padding: 6px 0; color: #0c6092;">${text}</a>`,
                )}
              </td>
            </tr>
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`)
}

/** The first event has the button, the others a link each. */
function drawn(section: Section, index: number, dir: Direction) {
  const { title, messages, amounts, receipt, button, address } = section
  const heading =
    index === 0
      ? html`<h1 class="ink" style="margin: 0 0 14px; color: #1a2130; font-size: 25px; line-height: 32px; font-weight: 700; letter-spacing: -0.015em;">${title}</h1>`
      : html`<h2 class="ink line" style="margin: 30px 0 10px; padding-top: 26px; border-top: 1px solid #e4dac7; color: #1a2130; font-size: 19px; line-height: 26px; font-weight: 700;">${title}</h2>`
  return html`${heading}
                <p class="soft" style="margin: 0 0 20px; color: #474d5b; font-size: 16px; line-height: 25px;">${raw(section.html)}</p>
                ${messages.map(
                  (text) =>
                    html`<p dir="auto" class="ink line" style="margin: 0 0 14px; padding: 2px 0 2px 14px; border-left: 3px solid #e4dac7; color: #1a2130; font-size: 16px; line-height: 25px; white-space: pre-line;">${text}</p>`,
                )}
                ${amounts.length > 0 ? sums(amounts, dir) : ''}
                ${
                  index === 0
                    ? html`<p style="margin: 26px 0 0;"><a class="button" href="${address}" style="display: inline-block; padding: 13px 24px; border-radius: 10px; background: #f4bc30; color: #1d1707; font-size: 16px; line-height: 22px; font-weight: 700; text-decoration: none;">${button}</a></p>`
                    : html`<p style="margin: 0; font-size: 16px; line-height: 25px;"><a class="link" href="${address}" style="color: #0c6092; font-weight: 600;">${button}</a></p>`
                }
                ${receipt ? html`<p style="margin: 14px 0 0; font-size: 16px; line-height: 25px;"><a class="link" href="${receipt.address}" style="color: #0c6092;">${receipt.text}</a></p>` : ''}`
}

function sums(amounts: Section['amounts'], dir: Direction) {
  // Mail programs know no 'end'.
  const [start, end] = dir === 'rtl' ? ['right', 'left'] : ['left', 'right']
  const last = amounts.length - 1
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin: 0 0 20px; font-variant-numeric: tabular-nums;">${amounts.map(
    ({ label, amount }, index) => {
      const style =
        index === last
          ? 'padding: 10px 0 0; border-top: 1px solid #e4dac7; color: #1a2130; font-size: 16px; line-height: 24px; font-weight: 700;'
          : 'padding: 0 0 8px; color: #474d5b; font-size: 16px; line-height: 24px;'
      const name = index === last ? 'ink line' : 'soft'
      return html`<tr><td class="${name}" style="${style}">${label}</td><td class="${name}" align="${end}" style="${style} white-space: nowrap; padding-${start}: 16px;">${amount}</td></tr>`
    },
  )}</table>`
}
