// The fenced blocks of the operations pages and of README.md, and the shell commands in them.
import { readdirSync, readFileSync } from 'node:fs'
import { repositoryFile } from '../../../plugins/repository.ts'

export interface Block {
  /** Path of the page below the checkout. */
  page: string
  /** Line of the block's first line, from 1. */
  line: number
  /** The word after the fence; empty where there is none, `indented` for code without a fence. */
  language: string
  text: string
}

/** Paths of the pages, by name. */
export function pages(): string[] {
  const names = readdirSync(repositoryFile('docs/operations')).filter((name) => name.endsWith('.md'))
  return [...names.sort().map((name) => `docs/operations/${name}`), 'README.md']
}

/** The page's text. */
const textOf = (page: string) => readFileSync(repositoryFile(page), 'utf8')

/** Every fenced or indented block of a page, without the indentation that it has as a part of a list. */
export function blocksOf(page: string, text = textOf(page)): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  let indentation = ''
  let before = ''
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', language = ''] = /^( *)```(.*)$/.exec(line) ?? []
    if (line.trimStart().startsWith('```')) {
      if (open) open = undefined
      else {
        indentation = indent
        open = { page, line: index + 2, language: language.trim(), text: '' }
        blocks.push(open)
      }
    } else if (open) open.text += `${line.replace(indentation, '')}\n`
    else if (isIndentedCode(line, before))
      blocks.push({ page, line: index + 1, language: 'indented', text: line })
    if (!open) before = line
  }
  return blocks
}

/** Code by four spaces after an empty line, outside of lists (whose paragraphs are indented, too). */
function isIndentedCode(line: string, before: string): boolean {
  return /^ {4}[^\s*|-]/.test(line) && before.trim() === ''
}

/** The inline code of a page: text between backticks, outside of blocks. */
export function inlineCode(page: string): string[] {
  const prose = textOf(page).replace(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '))
}

/** The commands of a shell block, one a string: comments removed, continued lines joined, quotes over lines kept. */
export function commandsOf({ text }: Pick<Block, 'text'>): string[] {
  const commands: string[] = []
  let pending = ''
  let isContinued = false
  for (const line of text.split('\n')) {
    if (pending === '') pending = withoutComment(line)
    else pending += isContinued ? ` ${line.trim()}` : `\n${line}`
    isContinued = pending.endsWith('\\')
    if (isContinued) pending = pending.slice(0, -1).trimEnd()
    else if (!isOpen(pending)) {
      if (pending.trim()) commands.push(pending.trim())
      pending = ''
    }
  }
  return pending.trim() ? [...commands, pending.trim()] : commands
}

const withoutComment = (line: string) =>
  line.trimStart().startsWith('#') ? '' : line.replace(/\s+#\s.*$/, '')

/** Whether a quote or a here-document is still to be closed. */
function isOpen(command: string): boolean {
  const [, end] = /<<-?\s*['"]?(\w+)['"]?/.exec(command) ?? []
  if (end) return !new RegExp(`^${end}$`, 'm').test(command.split('\n').slice(1).join('\n'))
  return [...command.matchAll(/'/g)].length % 2 === 1 || [...command.matchAll(/"/g)].length % 2 === 1
}
