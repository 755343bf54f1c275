// The language of Go's text/template: the expected texts are what Go itself writes.
import { describe, expect, test } from 'vitest'
import { parseTemplate } from './template.ts'

const values = {
  Email: 'grace+tag@site.example',
  Token: '123456',
  Data: {
    name: 'Grace',
    'first-name': 'G',
    plan: '',
    language: 'es',
    yes: true,
    no: false,
    none: null,
    count: 3,
    price: 2.5,
    large: 1500000,
    zero: 0,
    list: ['a', 'b', 3, null],
    tags: { b: 2, a: 1, Z: 'z' },
    empty: [],
    deep: { er: { est: 'x' } },
  },
}
const render = (source: string, given: object = values) =>
  parseTemplate(source).text(given as Record<string, unknown>)

describe.each<[string, [source: string, expected: string][]]>([
  [
    'values, white space and comments',
    [
      ['{{ .Email }}', 'grace+tag@site.example'],
      ['{{.Email}}', 'grace+tag@site.example'],
      ['a \n {{- .Token -}} \n b', 'a123456b'],
      ['{{ "a" }} {{- /* a comment */ -}} x', 'ax'],
      ['{{/* a comment with }} */}}x', 'x'],
      ['{{ "}}" }}{{ `}}\\n` }}', '}}}}\\n'],
      ['{{ "a\\tb\\u00e9\\x41\\101" }}', 'a\tbéAA'],
      ["{{ 'a' }} {{ 0x1F }} {{ 017 }} {{ 1_000 }} {{ 1e3 }} {{ .5 }} {{ -3 }}", '97 31 15 1000 1000 0.5 -3'],
      ['{{ .Data.missing.more }}{{ .Missing }}{{ .Data.none }}', ''],
      ['{{ .constructor }}{{ .Data.__proto__ }}', ''],
      ['{{ $ }}', render('{{ . }}')],
      ['{{ .Data.tags }} {{ .Data.list }}', 'map[Z:z a:1 b:2] [a b 3 <nil>]'],
      ['{{ .Data.count }} {{ .Data.price }} {{ .Data.large }} {{ .Data.yes }}', '3 2.5 1.5e+06 true'],
    ],
  ],
  [
    'conditions',
    [
      ['{{ if .Data.name }}yes{{ else }}no{{ end }}', 'yes'],
      ['{{ if .Data.plan }}yes{{ else if .Data.yes }}maybe{{ else }}no{{ end }}', 'maybe'],
      ['{{ range $name := slice .Data.list 0 0 }}{{ else }}none{{ end }}', 'none'],
      ['{{ if .Data.zero }}0{{ end }}{{ if .Data.empty }}[]{{ end }}{{ if .Data.none }}null{{ end }}', ''],
      ['{{ if and .Data.yes (or .Data.no .Data.count) }}ok{{ end }}', 'ok'],
      ['{{ and .Data.no (index .Data.list 99) }} {{ or .Data.name (index .Data.list 99) }}', 'false Grace'],
      ['{{ not .Data.plan }} {{ .Data.plan | not }}', 'true true'],
      [
        '{{ eq .Data.language "de" "es" }} {{ ne .Token "123" }} {{ .Data.language | eq "es" }}',
        'true true true',
      ],
      ['{{ eq .Data.missing "es" }} {{ eq .Data.none nil }} {{ eq .Data.count 3 }}', 'false true true'],
      ['{{ eq .Data.count "3" }} {{ eq .Data.list "a" }} {{ ne .Data.yes "yes" }}', 'false false true'],
      ['{{ lt 1 2 }} {{ le 2 2 }} {{ gt .Data.price 2.5 }} {{ ge "b" "a" }}', 'true true false true'],
      ['{{ with .Data.deep }}{{ .er.est }}{{ $.Token }}{{ else }}none{{ end }}', 'x123456'],
      ['{{ with .Data.plan }}{{ . }}{{ else with .Data.name }}{{ . }}{{ end }}', 'Grace'],
    ],
  ],
  [
    'loops',
    [
      ['{{ range .Data.list }}<{{ . }}>{{ end }}', '<a><b><3><>'],
      ['{{ range $i, $each := .Data.list }}{{ $i }}={{ $each }};{{ end }}', '0=a;1=b;2=3;3=;'],
      ['{{ range $key, $value := .Data.tags }}{{ $key }}:{{ $value }} {{ end }}', 'Z:z a:1 b:2 '],
      ['{{ range .Data.empty }}x{{ else }}none{{ end }}{{ range .Data.missing }}x{{ end }}', 'none'],
      [
        '{{ range $i, $each := .Data.list }}{{ if eq $i 1 }}{{ continue }}{{ end }}{{ $each }}{{ end }}',
        'a3',
      ],
      ['{{ range .Data.list }}{{ . }}{{ break }}{{ end }}', 'a'],
      ['{{ range 3 }}{{ . }}{{ end }}', '012'],
    ],
  ],
  [
    'variables and templates',
    [
      ['{{ $x := .Data.deep }}{{ $x.er.est }}', 'x'],
      ['{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'],
      ['{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}', '1'],
      ['{{ template "one" .Data }}{{ define "one" }}{{ .name }}{{ $.count }}{{ end }}', 'Grace3'],
      ['{{ block "two" .Data.deep }}{{ .er.est }}{{ end }}', 'x'],
      [
        '{{ define "each" }}{{ if . }}x{{ template "each" (slice . 1) }}{{ end }}{{ end }}{{ template "each" .Token }}',
        'xxxxxx',
      ],
    ],
  ],
  [
    'pipelines and functions',
    [
      ['{{ .Token | printf "%s-%s" "x" }} {{ ((.Data).deep.er).est }}', 'x-123456 x'],
      ['{{ index .Data "first-name" }} {{ index .Data.list 1 }} {{ index .Data.deep "er" "est" }}', 'G b x'],
      ['{{ len .Token }} {{ len "Zoë" }} {{ len .Data.list }} {{ len .Data.tags }}', '6 4 4 3'],
      ['{{ slice .Token 1 3 }} {{ slice .Token 4 }} {{ slice .Data.list 1 2 }}', '23 56 [b]'],
      ['{{ print 1 2 "a" "b" 3 4 }} {{ print .Data.missing }}', '1 2a b3 4 <nil>'.replace('a b', 'ab')],
      [
        '{{ printf "%5d|%-5d|%05d|%+d|%x|%#X|%c|%q" 42 42 42 42 255 255 65 65 }}',
        "   42|42   |00042|+42|ff|0XFF|A|'A'",
      ],
      [
        '{{ printf "%.2f|%8.3f|%e|%g|%08.2f" 3.14159 3.14159 1234.5678 0.00001 3.14159 }}',
        '3.14|   3.142|1.234568e+03|1e-05|00003.14',
      ],
      [
        '{{ printf "%s|%6s|%-6s|%.2s|%q|%x" "héy" "héy" "héy" "héy" "a\\"b" "hi" }}',
        'héy|   héy|héy   |hé|"a\\"b"|6869',
      ],
      [
        '{{ printf "%d %s %d" "x" 1 }} {{ printf "%d" 1 2 }} {{ printf "%d%%" 5 }}',
        '%!d(string=x) %!s(int=1) %!d(MISSING) 1%!(EXTRA int=2) 5%',
      ],
      [
        '{{ printf "%v %t %T" .Data.tags .Data.yes .Data.count }} {{ printf "%.0f" .Data.large }}',
        'map[Z:z a:1 b:2] true float64 1500000',
      ],
      ['{{ html "<a href=\'x\'>&" }} {{ "<" | html }}', '&lt;a href=&#39;x&#39;&gt;&amp; &lt;'],
      ['{{ urlquery "a b&c=d+é" }}', 'a+b%26c%3Dd%2B%C3%A9'],
      ['{{ js "it\'s <b>" }}', "it\\'s \\u003Cb\\u003E"],
    ],
  ],
])('%s', (_, cases) => {
  test.each(cases)('%s', (source, expected) => {
    expect(render(source)).toBe(expected)
  })
})

test.each([
  ['{{ .Email', 'line 1: "{{ .Email" is not closed with }}'],
  ['\n\n{{ if .Email }}x', 'line 3: {{ if }} has no {{ end }}'],
  ['x{{ end }}', 'line 1: {{ end }} has no {{ if }}'],
  ['{{ Email }}', 'line 1: there is no function "Email"'],
  ['\n{{ $x }}', 'line 2: the variable $x is not declared'],
  ['{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}', 'line 1: the variable $x is not declared'],
  ['{{ }}', 'line 1: {{  }} is not understood'],
  ['{{ .Email | 1 }}', 'line 1: a value cannot follow |'],
  ['{{ (.Email }}', 'line 1: a parenthesis is not closed'],
  ['{{ break }}', 'line 1: {{ break }} is outside of a {{ range }}'],
  ['{{ template "nothing" }}', 'line 1: no template is defined as "nothing"'],
  ['{{ if 1 }}{{ define "x" }}{{ end }}{{ end }}', 'line 1: {{ define }} must not be inside of a block'],
  ['{{ "a\\q" }}', 'line 1: \\q is no escape sequence'],
  ['{{ @ }}', 'line 1: "@ }}" is not understood'],
  ['{{ /* open }}', 'line 1: "/* open }}" is not understood'],
])('%s cannot be parsed', (source, message) => {
  expect(() => parseTemplate(source)).toThrow(message)
})

test.each([
  ['\n{{ .Email.name }}', 'line 2: a string has no field name'],
  ['{{ .Data.none.x }}', 'line 1: a <nil> has no field x'],
  ['{{ index .Data.list 9 }}', 'line 1: index: index out of range: 9'],
  ['{{ index .Data.list "x" }}', 'line 1: index: cannot index with a string'],
  ['{{ .Email "x" }}', 'line 1: .Email takes no arguments'],
  ['{{ lt .Data.count "3" }}', 'line 1: lt: a float64 cannot be compared with a string'],
  ['{{ range .Email }}{{ end }}', 'line 1: range cannot go over a string'],
  ['{{ len .Data.count }}', 'line 1: len: len of type float64'],
  ['{{ call .Email }}', 'line 1: call: cannot call a string'],
  ['{{ not }}', 'line 1: not has 0 arguments'],
])('%s cannot be executed', (source, message) => {
  expect(() => render(source)).toThrow(message)
})

describe('metadata that a stranger wrote', () => {
  const list = Array.from({ length: 1000 }, (_, index) => `${index}`)
  const map = Object.fromEntries(list.map((key) => [key, key]))

  test.each([
    ['loops in loops', '{{ range .x }}{{ range $.x }}{{ range $.x }}.{{ end }}{{ end }}{{ end }}', /steps/],
    ['a number to count to', '{{ range len .x }}{{ range 1000000 }}{{ end }}{{ end }}', /steps/],
    [
      'a text that doubles',
      '{{ $t := "12345678" }}{{ range .x }}{{ $t = print $t $t }}{{ end }}',
      /characters/,
    ],
    ['much text', `{{ range .x }}${'x'.repeat(2000)}{{ end }}`, /characters/],
    ['templates without an end', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', /deep/],
    [
      'a map that is sorted again and again',
      '{{ range .x }}{{ range $.map }}{{ break }}{{ end }}{{ end }}',
      /steps/,
    ],
    ['a list that is printed again and again', '{{ range .x }}{{ $t := print $.x }}{{ end }}', /steps/],
    ['a width', '{{ printf "%*d" 1000000000 1 }}', null],
  ])('cannot use up the server: %s', (_, source, message) => {
    const attempt = () => render(source, { x: list, map })
    if (message) expect(attempt).toThrow(message)
    else expect(attempt().length).toBeLessThan(100)
  })

  test('cannot add a header to a message', () => {
    expect(render('Hi {{ .x }}', { x: 'a\r\nBcc: sam@example.com' })).toBe('Hi a Bcc: sam@example.com')
  })
})
