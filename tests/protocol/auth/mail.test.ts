// Emails on their way: Meadowlark's own templates, a real SMTP server, a server that refuses, and none at all.
import { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../../support/people.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'
import { authServer, giver, nextMessage } from './project.ts'

const signUp = (server: TestServer, email: string) =>
  stranger(server).auth.signUp({
    email,
    password: 'Meadowlark1',
    options: {
      data: giver('Grace Field'),
      emailRedirectTo: `${server.services.config.auth.site_url}/dashboard`,
    },
  })

describe("Meadowlark's emails", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server?.stop())

  test('carry a link that works, a code, and the same in plain text', async () => {
    await signUp(server, 'grace@example.com')
    const message = await nextMessage(server, 'grace@example.com')
    expect(message.subject).toBe('Confirm your email for Meadowlark')
    expect(message.html).toContain('prefers-color-scheme: dark')
    expect(message.text).toContain(message.code)
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    expect(message.text).toContain(link)
    const answer = await fetch(link, { redirect: 'manual' })
    expect(answer.headers.get('location')).toMatch(/\/dashboard#access_token=/)
  })
})

describe('templates of a project', () => {
  test('speak the language of the person, and English where they have no other', async () => {
    const inFrench = (french: string, english: string) =>
      `{{ if eq .Data.language "fr" }}${french}{{ else }}${english}{{ end }}`
    const server = await authServer({
      more: `[auth.email.template.confirmation]
subject = '${inFrench('Confirmez votre adresse', 'Confirm your address')}'
content_path = "./email.html"`,
      files: { 'email.html': `<p>${inFrench('Voici le code', 'Here is the code')}: {{ .Token }}</p>` },
    })
    try {
      const email = async (to: string, language?: string) => {
        const data = { ...giver('Grace'), ...(language ? { language } : {}) }
        await stranger(server).auth.signUp({ email: to, password: 'Meadowlark1', options: { data } })
        const { subject, html, text } = await nextMessage(server, to)
        return { subject, html: html?.replace(/\d+/, ''), text: text.replace(/\d+/, '') }
      }
      const french = {
        subject: 'Confirmez votre adresse',
        html: '<p>Voici le code: </p>',
        text: 'Voici le code: ',
      }
      const english = {
        subject: 'Confirm your address',
        html: '<p>Here is the code: </p>',
        text: 'Here is the code: ',
      }
      expect(await email('grace+fr@example.com', 'fr')).toEqual(french)
      expect(await email('grace+ru@example.com', 'ru')).toEqual(english)
      expect(await email('grace+none@example.com')).toEqual(english)
    } finally {
      await server.stop()
    }
  })

  test('are given the values that Supabase gives them', async () => {
    const server = await authServer({
      more: `[auth.email.template.confirmation]
subject = "Hello {{ .Data.full_name }}"
content_path = "./email.html"`,
      files: {
        'email.html': `{{ if eq .Data.role "task_giver" }}giver{{ else }}doer{{ end }}|{{ .Email }}|{{ .SiteURL }}
|{{ .RedirectTo }}|{{ .Token }}|{{ .TokenHash }}|{{ .Data.full_name }}|<a href="{{ .ConfirmationURL }}">go</a>`,
      },
    })
    try {
      const site = server.services.config.auth.site_url
      await stranger(server).auth.signUp({
        email: 'grace+values@example.com',
        password: 'Meadowlark1',
        options: { data: giver('<b>Grace</b>') },
      })
      const { subject, html } = await nextMessage(server, 'grace+values@example.com')
      expect(subject).toBe('Hello <b>Grace</b>')
      const [role, email, siteUrl, redirectTo, token, hash, name, link] = (html as string).split('|')
      expect([role, email, siteUrl?.trim(), redirectTo, token]).toEqual([
        'giver',
        'grace&#43;values@example.com',
        site,
        site,
        expect.stringMatching(/^\d{6}$/),
      ])
      expect(name).toBe('&lt;b&gt;Grace&lt;/b&gt;')
      expect(link).toContain(`/auth/v1/verify?token=${hash}&amp;type=signup&amp;redirect_to=`)
    } finally {
      await server.stop()
    }
  })

  test("are written in Go's language, and what stands in a link's query arrives whole", async () => {
    const server = await authServer({
      more: `[auth.email.template.confirmation]
subject = '{{ with .Data.full_name }}{{ printf "%s, confirm" . }}{{ else }}Confirm{{ end }}'
content_path = "./email.html"`,
      files: {
        'email.html': `{{ define "hello" }}{{ $name := . }}<p>{{ or $name "you" }}</p>{{ end -}}
{{ template "hello" .Data.full_name }}{{ range $i, $tag := .Data.tags }}{{ if $i }}, {{ end }}{{ $tag }}{{ end }}
{{ if and .Token (not (eq .Data.role "admin")) }}{{ len .Token }}{{ end }}
<a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&email={{ .Email }}&next={{ .RedirectTo }}">go</a>`,
      },
    })
    try {
      const site = server.services.config.auth.site_url
      const next = `${site}/welcome?from=mail&step=2`
      await stranger(server).auth.signUp({
        email: 'grace+tag@example.com',
        password: 'Meadowlark1',
        options: { data: { ...giver("O'Neil"), tags: ['a', '<b>'] }, emailRedirectTo: next },
      })
      const { subject, html, links } = await nextMessage(server, 'grace+tag@example.com')
      expect(subject).toBe("O'Neil, confirm")
      expect(html).toMatch(/^<p>O&#39;Neil<\/p>a, &lt;b&gt;\n6\n<a /)
      const query = new URL(links.find((link) => link.includes('/confirm?')) as string).searchParams
      expect(Object.fromEntries(query)).toEqual({
        token_hash: expect.stringMatching(/^[\w-]+$/),
        email: 'grace+tag@example.com',
        next,
      })
    } finally {
      await server.stop()
    }
  })

  test('that are wrong are named in the log, and the built-in message is sent', async () => {
    const lines: string[] = []
    const server = await authServer({
      sms: "template = '{{ range }}'",
      more: `[auth.email.template.confirmation]
subject = "{{ nothing .Email }}"
content_path = "./email.html"
[auth.email.template.recovery]
subject = "Fine"
content_path = "./fails.html"`,
      files: {
        'email.html': '<p>\n{{ if .Email }}never closed',
        'fails.html': '<p>\n\n{{ .Data.full_name.first }}</p>',
      },
      options: { logLevel: 'error', onLogLine: (line) => lines.push(line) },
    })
    const logged = () =>
      lines
        .map((line) => JSON.parse(line))
        .map(({ template, problem, msg }) => `${msg}: ${template}: ${problem}`)
        .map((line) => line.replace('a message template is wrong; the built-in one is sent instead: ', ''))
    const bodyWrong =
      './email.html ([auth.email.template.confirmation] content_path): line 2: {{ if }} has no {{ end }}'
    const subjectWrong =
      'supabase/config.toml: [auth.email.template.confirmation] subject: line 1: there is no function "nothing"'
    try {
      expect(logged()).toEqual([
        subjectWrong,
        bodyWrong,
        'supabase/config.toml: [auth.sms] template: line 1: {{ range }} is not understood',
      ])
      lines.length = 0
      const grace = stranger(server)
      const options = { data: giver('Grace') }
      await grace.auth.signUp({ email: 'grace@example.com', password: 'Meadowlark1', options })
      const confirmation = await nextMessage(server, 'grace@example.com')
      expect(confirmation.subject).toBe('Confirm your e-mail address')
      expect(confirmation.html).toContain('Confirm my e-mail address')
      expect(logged()).toEqual([subjectWrong, bodyWrong])
      lines.length = 0
      const { error } = await grace.auth.verifyOtp({
        ...{ email: 'grace@example.com', token: confirmation.code as string, type: 'signup' },
      })
      expect(error).toBeNull()

      await grace.auth.resetPasswordForEmail('grace@example.com')
      const recovery = await nextMessage(server, 'grace@example.com', [confirmation])
      expect(recovery.subject).toBe('Fine')
      expect(recovery.html).toContain('Reset my password')
      expect(logged()).toEqual([
        './fails.html ([auth.email.template.recovery] content_path): line 3: a string has no field first',
      ])
    } finally {
      await server.stop()
    }
  })

  test('whose file cannot be read stop the start', async () => {
    const more = '[auth.email.template.recovery]\ncontent_path = "./missing.html"'
    await expect(authServer({ more })).rejects.toThrow(
      /content_path is "\.\/missing\.html", but .* cannot be read/,
    )
  })
})

describe('over SMTP', () => {
  const received: { envelope: { from: string; to: string[] }; mail: Email }[] = []
  const stops: (() => unknown)[] = []
  afterEach(async () => {
    received.length = 0
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  async function smtpServer(options: SMTPServerOptions = {}): Promise<number> {
    const port = await freePort()
    const smtp = new SMTPServer({
      onAuth: ({ username, password }, _session, done) =>
        username === 'postman' && password === 'secret'
          ? done(null, { user: username })
          : done(new Error('no such user')),
      onData(stream, session, done) {
        PostalMime.parse(Readable.toWeb(stream) as ReadableStream).then((mail) => {
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            envelope: {
              from: (mailFrom as { address: string }).address,
              to: rcptTo.map(({ address }) => address),
            },
            mail,
          })
          done()
        }, done)
      },
      ...options,
    })
    smtp.on('error', () => {})
    await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
    stops.push(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
    return port
  }

  async function mailingServer(port: number, settings: Parameters<typeof authServer>[0] = {}) {
    const server = await authServer({
      ...settings,
      options: {
        env: {
          SMTP_HOST: '127.0.0.1',
          SMTP_PORT: String(port),
          SMTP_USER: 'postman',
          SMTP_PASS: 'secret',
          SMTP_ADMIN_EMAIL: 'hello@meadowlark.example',
          SMTP_SENDER_NAME: 'Meadowlark',
        },
      },
    })
    stops.push(() => server.stop())
    return server
  }

  const until = async (done: () => boolean) => {
    for (let round = 0; round < 400 && !done(); round++)
      await new Promise((resolve) => setTimeout(resolve, 25))
  }

  test('an email has sender, recipient, both texts and an id of its own', async () => {
    const server = await mailingServer(await smtpServer({ disabledCommands: ['STARTTLS'] }))
    expect(server.services.mail).toMatchObject({ transport: 'smtp', warning: null })
    await signUp(server, 'grace@example.com')
    await until(() => received.length > 0)
    const [{ envelope, mail }] = received as [(typeof received)[number]]
    expect(envelope).toEqual({ from: 'hello@meadowlark.example', to: ['grace@example.com'] })
    expect(mail.from).toEqual({ name: 'Meadowlark', address: 'hello@meadowlark.example' })
    expect(mail.subject).toBe('Confirm your e-mail address')
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@meadowlark\.example>$/)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    const code = /code: (\d{6})/.exec(mail.text ?? '')?.[1]
    expect(mail.html).toContain(code)
    const verified = await stranger(server).auth.verifyOtp({
      email: 'grace@example.com',
      token: code as string,
      type: 'signup',
    })
    expect(verified.data.session).toBeTruthy()
  })

  test('a mail server that is away for a while gets the email later, once', async () => {
    let refusals = 1
    const port = await smtpServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        if (refusals-- > 0) return done(Object.assign(new Error('try again later'), { responseCode: 451 }))
        done()
      },
    })
    const server = await mailingServer(port)
    await signUp(server, 'grace+patient@example.com')
    await until(() => received.length > 0)
    expect(received.map(({ envelope }) => envelope.to)).toEqual([['grace+patient@example.com']])
  })

  test('a recipient refused for good is not tried again', async () => {
    let attempts = 0
    const port = await smtpServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        attempts++
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
      },
    })
    const server = await mailingServer(port)
    await signUp(server, 'grace+unknown@example.com')
    await until(() => attempts > 0)
    const jobs = async () =>
      (await server.database.pool.query('select count(*)::int as left from graphile_worker.jobs')).rows[0]
        .left
    for (let round = 0; round < 100 && (await jobs()) > 0; round++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    expect([attempts, await jobs()]).toEqual([1, 0])
  })

  test('the hourly limit of emails holds', async () => {
    const port = await smtpServer({ disabledCommands: ['STARTTLS'] })
    const server = await mailingServer(port, { limits: '[auth.rate_limit]\nemail_sent = 2' })
    for (const name of ['first', 'second']) {
      expect((await signUp(server, `${name}@example.com`)).error).toBeNull()
    }
    const { error } = await signUp(server, 'grace+third@example.com')
    expect(error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
      message: 'email rate limit exceeded',
    })
    const { rows } = await server.database.pool.query(
      `select 1 from auth.users where email = 'grace+third@example.com'`,
    )
    expect(rows).toEqual([])
  })

  test('in production without SMTP the operator is warned, and the email waits', async () => {
    const server = await authServer({ options: { production: true } })
    stops.push(() => server.stop())
    const { mail } = server.services
    expect(mail.transport).toBe('none')
    expect(mail.warning).toMatch(/^E-mail cannot be sent: set SMTP_HOST/)
    expect((await signUp(server, 'grace+waiting@example.com')).error).toBeNull()
    const { rows } = await server.database.pool.query(
      `select task_identifier from graphile_worker.jobs where task_identifier = 'send_mail'`,
    )
    expect(rows).toHaveLength(1)
  })
})
