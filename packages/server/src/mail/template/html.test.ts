// How values enter HTML: the expected texts are what Go's html/template writes.
import { describe, expect, test } from 'vitest'
import { parseTemplate } from './template.ts'

const values = {
  x: `<i>O'Neil & "co"</i>`,
  address: 'grace+tag@site.example',
  next: 'https://site.example/x?a=1&b=2#c',
  script: 'javascript:alert(1)',
  hash: 'pkce_ab+c/d=',
  number: 3,
  list: ['a', { b: null }],
}
const render = (source: string) => parseTemplate(source).html(values)

describe.each<[string, [source: string, expected: string][]]>([
  [
    'text',
    [
      ['<p>{{ .x }}</p>', '<p>&lt;i&gt;O&#39;Neil &amp; &#34;co&#34;&lt;/i&gt;</p>'],
      [
        '<p>{{ .x | html }}{{ html .address }}</p>',
        '<p>&lt;i&gt;O&#39;Neil &amp; &#34;co&#34;&lt;/i&gt;grace&#43;tag@site.example</p>',
      ],
      ['<p>{{ $y := "<" | html }}{{ $y }}</p>', '<p>&amp;lt;</p>'],
      ['<p>{{ .missing }}{{ .number }}</p>', '<p>3</p>'],
      ['<title>{{ .x }}</title>', '<title>&lt;i&gt;O&#39;Neil &amp; &#34;co&#34;&lt;/i&gt;</title>'],
      ['a<!-- {{ .x }} -->b', 'ab'],
      ['1 < 2 <{{ .address }}>', '1 &lt; 2 &lt;grace&#43;tag@site.example>'],
      ['<!doctype html><BR/>', '<!doctype html><BR/>'],
    ],
  ],
  [
    'attributes',
    [
      ['<p title="{{ .x }}">', '<p title="&lt;i&gt;O&#39;Neil &amp; &#34;co&#34;&lt;/i&gt;">'],
      ['<p title={{ .x }}>', '<p title=&lt;i&gt;O&#39;Neil&#32;&amp;&#32;&#34;co&#34;&lt;/i&gt;>'],
      ['<p title={{ .missing }} class="a">', '<p title=ZgotmplZ class="a">'],
      ['<p {{ .x }}="a">', '<p ZgotmplZ="a">'],
      ['<p {{ "onclick" }}="a" {{ "title" }}="b">', '<p ZgotmplZ="a" title="b">'],
      ['<p class="{{ if .x }}a{{ else }}b{{ end }} c">{{ .number }}', '<p class="a c">3'],
    ],
  ],
  [
    'links',
    [
      ['<a href="{{ .next }}">', '<a href="https://site.example/x?a=1&amp;b=2#c">'],
      ["<a href='{{ .script }}'>", "<a href='#ZgotmplZ'>"],
      ['<a href={{ .script }}>', '<a href=#ZgotmplZ>'],
      ['<img src="{{ .script }}" srcset="{{ .script }} 2x">', '<img src="#ZgotmplZ" srcset="#ZgotmplZ 2x">'],
      ['<a href="mailto:{{ .address }}">', '<a href="mailto:grace&#43;tag@site.example">'],
      ['<a href="/to/{{ .x }}">', '<a href="/to/%3ci%3eO%27Neil%20&amp;%20%22co%22%3c/i%3e">'],
      [
        '<a href="/x?email={{ .address }}&n={{ .number }}">',
        '<a href="/x?email=grace%2btag%40site.example&n=3">',
      ],
      [
        '<a href="{{ .next }}/confirm?token_hash={{ .hash }}&amp;next={{ .next }}">',
        '<a href="https://site.example/x?a=1&amp;b=2#c/confirm?token_hash=pkce_ab%2bc%2fd%3d&amp;next=https%3a%2f%2fsite.example%2fx%3fa%3d1%26b%3d2%23c">',
      ],
      ['<a href="/x?email={{ .address | urlquery }}">', '<a href="/x?email=grace%2Btag%40site.example">'],
      ['<a href="#{{ .x }}">', '<a href="#%3ci%3eO%27Neil%20%26%20%22co%22%3c%2fi%3e">'],
    ],
  ],
  [
    'styles',
    [
      ['<p style="color: {{ .script }}">', '<p style="color: ZgotmplZ">'],
      ['<p style="width: {{ .number }}px">', '<p style="width: 3px">'],
      [
        '<p style="font: \'{{ .x }}\'">',
        '<p style="font: \'\\3ci\\3eO\\27Neil \\26  \\22 co\\22\\3c\\2fi\\3e \'">',
      ],
      ['<p style="background: url({{ .script }})">', '<p style="background: url(#ZgotmplZ)">'],
      ['<style>p { color: {{ .x }} }</style>{{ .number }}', '<style>p { color: ZgotmplZ }</style>3'],
    ],
  ],
  [
    'scripts',
    [
      [
        '<script>f({{ .x }}, {{ .list }})</script>',
        '<script>f("\\u003ci\\u003eO\'Neil \\u0026 \\"co\\"\\u003c/i\\u003e", ["a",{"b":null}])</script>',
      ],
      [
        '<script type="application/ld+json">{"url": "{{ .next }}"}</script>',
        '<script type="application/ld+json">{"url": "https:\\/\\/site.example\\/x?a=1\\u0026b=2#c"}</script>',
      ],
      [
        '<script>x = /a{{ .hash }}/, y = 4 / {{ .number }} / 2</script>',
        '<script>x = /apkce_ab\\u002bc\\/d=/, y = 4 /  3  / 2</script>',
      ],
      [
        '<button onclick="f(\'{{ .x }}\', {{ .number }})">',
        '<button onclick="f(\'\\u003ci\\u003eO\\u0027Neil \\u0026 \\u0022co\\u0022\\u003c\\/i\\u003e\',  3 )">',
      ],
      [
        '<script type="text/plain">{{ .x }}</script>',
        '<script type="text/plain">&lt;i&gt;O&#39;Neil &amp; &#34;co&#34;&lt;/i&gt;</script>',
      ],
    ],
  ],
])('in %s', (_, cases) => {
  test.each(cases)('%s', (source, expected) => {
    expect(render(source)).toBe(expected)
  })
})

test('a value in a template literal of a script is refused', () => {
  expect(() => render('<script>\n`{{ .x }}`</script>')).toThrow(
    'line 2: a value cannot be used in a template literal of a script',
  )
})
