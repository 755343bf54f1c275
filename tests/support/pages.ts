// Fenced blocks of the documents, for tests that run them as they are written.
import { readFileSync } from 'node:fs'
import { repositoryFile } from '../../plugins/repository.ts'

/**
 * The blocks in `language` of a document's section, from the heading or anchor that holds `section` to the next heading; of the
 * whole document where `section` is left out. `values` take the place of `<name>` in them. Throws where there is none.
 */
export function fencedBlocks(
  path: string,
  language: string,
  { section, values = {} }: { section?: string; values?: Record<string, string> } = {},
): string[] {
  const text = readFileSync(repositoryFile(path), 'utf8')
  const part = section === undefined ? text : sectionOf(text, section)
  const blocks = [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const found = blocks.filter(([, each]) => each === language).map(([, , block = '']) => block)
  if (found.length === 0)
    throw new Error(`${path} has no block in ${language}${section ? ` at ${section}` : ''}`)
  return found.map((block) => block.replaceAll(/<([a-z][a-z ]*)>/g, (all, name) => values[name] ?? all))
}

function sectionOf(text: string, section: string): string {
  const parts = text.split(/^(?=#+ )/m)
  const part = parts.find((each) => each.split('\n', 1)[0]?.includes(section))
  if (!part) throw new Error(`there is no heading with ${section}`)
  return part
}
