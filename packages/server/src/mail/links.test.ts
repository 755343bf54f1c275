// Metadata of accounts in e-mails made from templates.
import { expect, test } from 'vitest'
import { breakLinks, breakLinksInText, markLinks } from './links.ts'
import { parseTemplate } from './template/template.ts'

const render = (source: string, data: object) =>
  breakLinks(parseTemplate(source).html({ Data: markLinks(data) }))

test.each([
  ['www.evil.example/prize Now', 'www. evil. example/prize Now'],
  ['https://evil.example', 'https: //evil. example'],
  ['grace@evil.example', 'grace@ evil. example'],
  ['ev\u200bil.com', 'evil. com'],
  ['J.P. Smith, 5.0GHz', 'J.P. Smith, 5.0GHz'],
])('%s is no link in a text or a subject', (name, shown) => {
  expect(render('<p>Hi {{ .Data.name }}</p>', { name })).toBe(`<p>Hi ${shown}</p>`)
  expect(breakLinksInText(markLinks(name))).toBe(shown)
})

test('an address of the project in a link stays whole, and so do conditions and deeper values', () => {
  const data = { team: { url: 'https://team.example/a.b?x=1' }, language: 'es', names: ['evil.com'] }
  expect(render('<a href="{{ .Data.team.url }}">{{ .Data.team.url }}</a>', data)).toBe(
    '<a href="https://team.example/a.b?x=1">https: //team. example/a.b?x=1</a>',
  )
  expect(render('<a href="/x?to={{ .Data.team.url }}">Go</a>', data)).not.toMatch(/%EF%A3%97|\uf8d7/i)
  expect(render('{{ if eq .Data.language "es" }}Hola{{ end }}', data)).toBe('Hola')
  expect(markLinks({ count: 3, none: null, names: ['a'] })).toEqual({ count: 3, none: null, names: ['a'] })
})
