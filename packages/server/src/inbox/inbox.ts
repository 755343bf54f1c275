// The inbox page and its JSON: mail and SMS that were not sent anywhere. Texts that people wrote are shown as plain
// text; the HTML of a mail is shown in a frame that may run no script and does not count as this origin.
import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type pg from 'pg'
import { empty, json, text } from '../http/answer.ts'
import type { Handler, Route } from '../http/route.ts'
import { type Markup, page } from '../http/sandbox-page.ts'
import { type Message, readMessage, readMessages } from './messages.ts'
import { CSS, SCRIPT } from './style.ts'

/** /inbox, /inbox/list and /inbox.json. */
export function inboxRoutes({ pool }: { pool: pg.Pool }): Route[] {
  const get = (path: string, handler: Handler): Route => ({ method: 'GET', path, access: 'public', handler })
  return [
    get('/inbox.json', async ({ query }) => {
      const messages = await readMessages(pool, query.get('to') ?? undefined)
      const shown = messages.map(({ id: _, ...message }) => message)
      return json(shown, 200, { 'cache-control': 'no-store' })
    }),
    // The list alone, which the page asks for again and again; unchanged, it answers 304.
    get('/inbox/list', async ({ query, headers }) => {
      const to = query.get('to') ?? ''
      const body = String(await list(await readMessages(pool, to), to, query.get('message') ?? undefined))
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
      const cached = { etag, 'cache-control': 'no-cache' }
      if (headers['if-none-match'] === etag) return empty(304, cached)
      return text(body, 200, { 'content-type': 'text/html; charset=UTF-8', ...cached })
    }),
    get('/inbox', ({ query }) => inboxPage(pool, query.get('to') ?? '', query.get('message') ?? undefined)),
  ]
}

async function inboxPage(pool: pg.Pool, to: string, chosen: string | undefined) {
  const messages = await readMessages(pool, to)
  const open = chosen === undefined ? messages[0] : await readMessage(pool, chosen)
  return page({
    title: 'Test inbox, Meadowlark',
    css: CSS,
    script: SCRIPT,
    body: html`<div class="bar">Test inbox. Nothing here was sent to anyone.</div>
<div class="${chosen === undefined ? 'inbox' : 'inbox reading'}">
  <header>
    <a class="home" href="/"><img src="/favicon.svg" alt="">Meadowlark</a>
    <h1>Inbox</h1>
    <form role="search" method="get" action="/sandbox/inbox">
      <label for="to">Recipient</label>
      <input id="to" name="to" type="search" value="${to}" placeholder="grace@example.com" autocomplete="off">
    </form>
  </header>
  <nav id="list" aria-label="Messages" data-query="${query(to, chosen)}">${list(messages, to, chosen ?? open?.id)}</nav>
  <main id="message">${open ? reader(open, to) : nothing(to)}</main>
</div>
<p id="news" class="visually-hidden" role="status"></p>`,
  })
}

function list(messages: Message[], to: string, chosen: string | undefined): Markup {
  if (messages.length === 0) return html`<p class="empty">No messages${to ? ` to ${to}` : ' yet'}.</p>`
  return html`<ol>${messages.map(
    (
      message,
    ) => html`<li><a href="/sandbox/inbox${query(to, message.id)}" ${message.id === chosen ? html`aria-current="true"` : ''}>
  <span class="who">${message.to}</span>
  <time datetime="${message.created_at}">${clock(message.created_at)}</time>
  <span class="what">${message.subject ?? firstLine(message.text)}</span>
  <span class="kind ${message.kind}">${message.kind === 'sms' ? 'SMS' : 'Mail'}</span>
</a></li>`,
  )}</ol>`
}

function reader(message: Message, to: string): Markup {
  return html`<a class="back" href="/sandbox/inbox${query(to)}">All messages</a>
<h2>${message.subject ?? 'Text message'}</h2>
<p class="meta">To <strong>${message.to}</strong>, <time datetime="${message.created_at}">${day(message.created_at)}</time></p>
${message.code ? html`<p class="code"><span>Code</span> <strong>${message.code}</strong></p>` : ''}
${
  message.links.length > 0
    ? html`<ul class="links">${message.links.map(
        (link) => html`<li><a href="${link}" rel="noopener noreferrer">${link}</a></li>`,
      )}</ul>`
    : ''
}
${
  message.html
    ? html`<iframe title="The mail as it looks" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${`<base target="_blank">${message.html}`}"></iframe>
<details><summary>Plain text</summary><pre>${message.text ?? ''}</pre></details>`
    : html`<pre>${message.text ?? ''}</pre>`
}`
}

function nothing(to: string): Markup {
  return html`<div class="quiet"><h2>${to ? 'Nothing for this recipient' : 'All quiet'}</h2>
<p>Mail and text messages that Meadowlark would send appear here by themselves.</p></div>`
}

function query(to: string, message?: string): string {
  const parameters = new URLSearchParams()
  if (to) parameters.set('to', to)
  if (message !== undefined) parameters.set('message', message)
  return parameters.size > 0 ? `?${parameters}` : ''
}

function firstLine(text: string | null): string {
  return (text ?? '').split('\n')[0]?.slice(0, 80) ?? ''
}

function clock(time: string): string {
  return new Date(time).toLocaleTimeString('en-CA', {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
}

function day(time: string): string {
  return new Date(time).toLocaleString('en-CA', { dateStyle: 'long', timeStyle: 'medium' })
}
