// Templates of a project's e-mails and text messages: their language, their values, and what happens when one is wrong.
import { expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import { authServer, giver, nextMessage } from './project.ts'

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
      'grace+values@example.com'.replace('+', '&#43;'),
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

test("are written in Go's language, and the query of a link arrives whole", async () => {
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
      email: 'grace@example.com',
      token: confirmation.code as string,
      type: 'signup',
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

test('with an unreadable file stop the start', async () => {
  const more = '[auth.email.template.recovery]\ncontent_path = "./missing.html"'
  await expect(authServer({ more })).rejects.toThrow(
    /content_path is "\.\/missing\.html", but .* cannot be read/,
  )
})
