// How documents, comments, titles of tests, errors and logs are worded. The phrases: support/prose-rules.ts.
import { describe, expect, it, test } from 'vitest'
import { findings, problemOf } from './support/prose.ts'
import { files, type Source } from './support/sources.ts'

const PROSE =
  /\.(?:md|tsx?|m?js|mts|sql|css|sh|ya?ml|toml|conf|service)$|^deploy\/(?:Dockerfile|meadowlark)$|^\.ci\/run$/
/** Texts of the app and of others, generated code, the phrases themselves, and migrations that have landed. */
const EXEMPT =
  /^supabase\/migrations\/|^web\/i18n\/.*\.md$|^web\/lib\/database\.types\.ts$|^tests\/(?:support\/prose-rules|prose\.test)\.ts$/

test('every sentence is short and plain', () => {
  const read = files(PROSE).filter(({ path }) => !EXEMPT.test(path))
  expect(read.length).toBeGreaterThan(2000)
  expect(read.flatMap(findings)).toEqual([])
})

const words = (count: number) => Array(count).fill('word').join(' ')

describe('a sentence', () => {
  it.each([
    [`${words(36)}.`],
    ['Who asks, what it gets.'],
    ['What the server keeps for clients.'],
    ['Whose turn it is.'],
    ['Where nobody answers, it waits.'],
    ['The giver is told at once.'],
    ['Admins hear of it.'],
    ['The page says of a task that it is open.'],
    ['Alerts tell of a mail server that is silent.'],
    ['Each has a limit of its own.'],
    ['The reason stands in the log.'],
    ['Fees stand below the amount.'],
    ['It shows how the booking stands.'],
    ['A code for who has lost it.'],
    ['Null for what is no image.'],
    ['A badge beside the name.'],
    ['Besides, it waits.'],
    ['The cache keeps what it read.'],
    ['Two cards have room in a row.'],
    ['It is that which counts.'],
    ['A right can be taken away.'],
    ['Nobody may not read it.'],
  ])('is found: %s', (sentence) => {
    expect(problemOf(sentence)).toBeDefined()
  })

  it.each([
    [`${words(35)}.`],
    ['What does a person cost?'],
    ['Who'],
    ['The first two can be told apart.'],
    ['The sandbox stands in for Stripe.'],
    ['The server shows what it knows.'],
    ['Each has its own limit.'],
    ['The cache keeps the rows that it read.'],
    ['Nobody reads it, and it is not kept.'],
  ])('passes: %s', (sentence) => {
    expect(problemOf(sentence)).toBeUndefined()
  })
})

describe('prose is found', () => {
  const source = (path: string, text: string): Source => ({ path, text, at: () => '' })
  const places = (path: string, text: string) =>
    findings(source(path, text)).map((line) => /:(\d+) /.exec(line)?.[1])

  it('in paragraphs, headings and table cells of a document, not in code or quotes', () => {
    expect(
      places('a.md', '# What it does\n\nA limit\nof its own.\n\n| a | b |\n|---|---|\n| beside | c |\n'),
    ).toEqual(['1', '3', '8'])
    expect(places('a.md', 'Plain `beside` and "beside".\n\n```\nbeside\n```\n')).toEqual([])
  })

  it('in comments of every kind, sentence by sentence', () => {
    const text =
      '// Short.\n// A limit of\n// its own.\n/**\n * Plain.\n * What is kept.\n */\nconst a = 1 // beside\n'
    expect(places('a.ts', text)).toEqual(['2', '6', '8'])
    expect(places('a.sql', '-- Plain.\n-- A limit of its own.\nselect $$\n-- beside\n$$;\n')).toEqual(['2'])
    expect(places('a.toml', '# A limit\n# of its own.\na = "beside"\n')).toEqual(['1'])
    expect(places('a.css', '/* Plain. */\na {}\n/* One beside\n   another. */\n')).toEqual(['3'])
  })

  it('in titles, errors and logs, not in other strings', () => {
    const text = [
      "test('what is kept', () => {})",
      "throw new StartError('it stands in the log')",
      `log.warn({}, \`\${a} is told\`)`,
      "const beside = 'beside'",
    ].join('\n')
    expect(places('b.ts', text)).toEqual(['1', '2', '3'])
  })

  it('except in examples within a comment', () => {
    expect(places('c.ts', '// Call it so:\n//\n//   keeps what is beside\n')).toEqual([])
  })
})
