// How package.json runs a command, for tests that start it without npm.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryFile, repositoryRoot } from '../../plugins/repository.ts'

const { scripts } = JSON.parse(readFileSync(repositoryFile('package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The program of `npm run <name>` in the checkout `root`, and its first arguments. */
export function programOf(name: string, root = repositoryRoot): string[] {
  const words = (scripts[name] ?? '').split(' ')
  const at = words.findIndex((word) => word.startsWith('scripts/'))
  if (at < 0) throw new Error(`npm run ${name} starts no program of scripts/`)
  return [join(root, words[at] as string), ...words.slice(at + 1)]
}
