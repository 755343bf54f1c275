// Every fenced block of the operations pages and of README.md is run as it is written: shell commands in a production
// installation, SQL in its database, settings by the server's own reader. A block or a command that nothing here runs fails.
// A new shell command needs an entry in commands.ts, a new program of others one in programs.ts.
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import { COMMANDS, ELSEWHERE, NOT_RUN } from './commands.ts'
import { checkFile, LANGUAGES_OF_FILES } from './files.ts'
import { Installation, isInstalled } from './installation.ts'
import { type Block, blocksOf, commandsOf, inlineCode, pages } from './pages.ts'
import { PROGRAMS, unknownCalls } from './programs.ts'

const PACKAGE = JSON.parse(readFileSync(repositoryFile('package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const LANGUAGES = ['sh', 'sql', 'text', ...LANGUAGES_OF_FILES]
const blocks = pages().flatMap((page) => blocksOf(page))
/** By which a block of SQL is known. */
const firstLine = ({ text }: Block) => text.split('\n')[0] as string
const at = ({ page, line }: Block) => `${page}:${line}`

let installation: Installation
beforeAll(async () => {
  installation = await Installation.make()
})
afterAll(() => installation?.remove())

test('every block names its language', () => {
  const others = blocks.filter(({ language }) => !LANGUAGES.includes(language))
  expect(others.map((block) => `${at(block)} ${block.language || 'without a language'}`)).toEqual([])
})

test('no block of plain text holds a command', () => {
  const texts = blocks.filter(({ language }) => language === 'text')
  const command = /^\W*(npm|npx|sudo|docker|systemctl|psql|pg_\w+|curl|git|apt-get|supabase) /m
  expect(texts.filter(({ text }) => command.test(text)).map(at)).toEqual([])
})

test('every shell command is expected', () => {
  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf)
  const expected = [...Object.keys(COMMANDS), ...Object.keys(ELSEWHERE)]
  expect(commands.filter((command) => !expected.includes(command))).toEqual([])
})

test('every command that is expected is on a page', () => {
  const expected = [...Object.keys(COMMANDS), ...Object.keys(ELSEWHERE)]
  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf)
  const sql = blocks.filter(({ language }) => language === 'sql').map(firstLine)
  expect(expected.filter((command) => ![...commands, ...sql].includes(command))).toEqual([])
})

test('pages that refer to a file refer to one that exists', () => {
  const shown = [...Object.values(ELSEWHERE), ...Object.values(PROGRAMS)]
  expect(shown.filter(({ shownBy }) => !existsSync(repositoryFile(shownBy)))).toEqual([])
})

describe.each(pages())('%s', (page) => {
  const own = blocks.filter((block) => block.page === page)
  for (const block of own) {
    if (block.language === 'sh')
      for (const command of commandsOf(block).filter((each) => each in COMMANDS)) testCommand(command)
    else if (block.language === 'sql' && !(firstLine(block) in ELSEWHERE))
      test(`SQL of line ${block.line}`, () => installation.query(page, block.text))
    else if (LANGUAGES_OF_FILES.includes(block.language))
      test(`${block.language} of line ${block.line}`, () => checkFile(block, installation))
  }

  test('the statements in its text are understood', async () => {
    const statements = inlineCode(page).filter((code) =>
      /^(select|update|insert|delete|alter|grant)\b.* /.test(code),
    )
    for (const statement of statements.filter((code) => !code.includes('…') && !(code in NOT_RUN)))
      await installation
        .query(page, statement)
        .catch((error) => expect.soft(error.message, statement).toBe('none'))
  })

  test('its npm commands exist, with their options', () => {
    const named = [...inlineCode(page), ...own.flatMap(({ text }) => commandsOf({ text }))]
    const wrong = named.flatMap((code) => {
      const [, script, options = ''] = /npm run (?:--silent )?([\w:-]+)([^&|]*)/.exec(code) ?? []
      if (!script) return []
      const program = /scripts\/[\w-]+\.mjs/.exec(PACKAGE.scripts[script] ?? '')?.[0]
      if (!(script in PACKAGE.scripts)) return [code]
      const command = `packages/server/src/cli/${script}.ts`
      const sources = [program, command].filter((path) => path && existsSync(repositoryFile(path)))
      const source = sources.map((path) => readFileSync(repositoryFile(path as string), 'utf8')).join('')
      const unknown = [...options.matchAll(/ --([a-z][a-z-]*)/g)].filter(
        ([, name]) => program && script !== 'psql' && !source.includes(name as string),
      )
      return unknown.map(([option]) => `${code}:${option}`)
    })
    expect(wrong).toEqual([])
  })
})

function testCommand(command: string): void {
  const expected = COMMANDS[command] ?? {}
  test.skipIf(expected.needs && !isInstalled(expected.needs))(command.slice(0, 100), async () => {
    const { code, output, calls } = await installation.run(command, expected)
    expect(output).toMatch(expected.prints ?? /^/)
    expect([code, unknownCalls(calls)], output).toEqual([expected.code ?? 0, []])
    expect(output).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
  })
}
