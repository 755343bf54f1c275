// The part of Go's templates that emails may use.
import { describe, expect, test } from 'vitest'
import { escapeHtml, escapeSubject, parseTemplate } from './template.ts'

const values = {
  Email: 'grace@example.com',
  Data: { name: 'Grace', plan: '', 'first-name': 'G' },
  Token: '123',
}
const render = (source: string, given: object = values) =>
  parseTemplate(source)(given as Record<string, unknown>, escapeHtml)

describe('values', () => {
  test.each([
    ['{{ .Email }}', 'grace@example.com'],
    ['{{.Email}}', 'grace@example.com'],
    ['a {{- .Token -}} b', 'a123b'],
    ['{{ .Data.name }}', 'Grace'],
    ['{{ .Data.missing.more }}', ''],
    ['{{ index .Data "first-name" }}', 'G'],
    ['{{/* a comment */}}x', 'x'],
    ['{{ .constructor }}{{ .Data.__proto__ }}', ''],
  ])('%s', (source, expected) => {
    expect(render(source)).toBe(expected)
  })
})

describe('conditions', () => {
  test.each([
    ['{{ if .Data.name }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .Data.plan }}yes{{ else }}no{{ end }}', 'no'],
    ['{{ if not .Data.plan }}none{{ end }}', 'none'],
    ['{{ if eq .Data.name "Theo" }}t{{ else if eq .Data.name "Grace" }}g{{ else }}?{{ end }}', 'g'],
    ['{{ if ne .Token "123" }}other{{ end }}!', '!'],
    ['{{ if .Email }}{{ if .Data.plan }}a{{ else }}b{{ end }}{{ end }}', 'b'],
  ])('%s', (source, expected) => {
    expect(render(source)).toBe(expected)
  })
})

describe('values that try to be markup', () => {
  test.each([
    ['<p>{{ .v }}</p>', '<script>"&\'', '<p>&lt;script&gt;&#34;&amp;&#39;</p>'],
    ['<a href="{{ .v }}">', 'javascript:alert(1)', '<a href="#">'],
    ['<a href={{ .v }}>', 'data:text/html,x', '<a href=#>'],
    ['<a href="{{ .v }}">', 'https://example.com/?a=1&b=2', '<a href="https://example.com/?a=1&amp;b=2">'],
    ['<a href="/x?{{ .v }}">', 'a:b', '<a href="/x?a:b">'],
  ])('%s with %s', (source, v, expected) => {
    expect(render(source, { v })).toBe(expected)
  })

  test('cannot break out of a subject', () => {
    const subject = parseTemplate('Hi {{ .v }}')({ v: 'a\r\nBcc: sam@example.com' }, escapeSubject)
    expect(subject).toBe('Hi a Bcc: sam@example.com')
  })
})

test.each([
  ['{{ .Email', /not closed/],
  ['{{ if .Email }}x', /has no \{\{ end \}\}/],
  ['x{{ end }}', /has no \{\{ if \}\}/],
  ['{{ range .Items }}', /not understood/],
  ['{{ printf "%s" .Email }}', /not understood/],
  ['{{ Email }}', /not understood/],
  ['{{ }}', /not understood/],
])('%s is refused', (source, message) => {
  expect(() => parseTemplate(source)).toThrow(message)
})
