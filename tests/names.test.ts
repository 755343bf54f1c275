// Names: files by their content, things by the field's terms, constants in one style.
import { expect, test } from 'vitest'
import { bannedNames, PRIVATE_WORDS } from './support/private-words.ts'
import { files, type Node, tree } from './support/sources.ts'

const MEANINGLESS_NAMES = /(^|\/)(utils?|helpers?|common|misc|managers?)(\/|\.[a-z.]+$)/i
const CONSTANT = /^[A-Z][A-Z0-9_]*$/
/** Holds IANA's list of top-level domains, which are words of others. */
const DOMAINS = /^supabase\/(schemas\/|migrations\/\d+_)text_rules\.sql$/
/** The export of a topic of bench/. */
const TITLE = 'title'

test('none is called by a name that says nothing', () => {
  expect(
    files(/./)
      .filter(({ path }) => MEANINGLESS_NAMES.test(path))
      .map(({ path }) => path),
  ).toEqual([])
})

test('name things by the words of the field, and are called by them', () => {
  const wrong = Object.entries(PRIVATE_WORDS).flatMap(([folder, words]) => {
    const banned = bannedNames(words.split(' '))
    return files(/\.(ts|tsx|mjs|js|sql|css)$/)
      .filter(
        ({ path }) => path.startsWith(folder) && !path.endsWith('private-words.ts') && !DOMAINS.test(path),
      )
      .flatMap((source) => {
        const hit = banned.exec(source.text)
        const inPath = banned.exec(source.path.slice(folder.length))
        return [
          ...(hit ? [`${source.at(hit.index)} ${hit[0]}`] : []),
          ...(inPath ? [`${source.path} is called ${inPath[0]}`] : []),
        ]
      })
  })
  expect(wrong).toEqual([])
})

test('constants of a module are in capitals: numbers, texts, patterns, and lists of them', () => {
  const wrong = files(/^(packages|plugins|shared|web|supabase|scripts|bench|deploy)\/.*\.(ts|tsx|mjs)$/)
    .filter(
      ({ path }) =>
        !/\.test\.tsx?$|^packages\/[^/]+\/tests\/|\.d\.m?ts$|database\.types\.ts$|^shared\/rules\.ts$/.test(
          path,
        ),
    )
    .flatMap((source) =>
      (tree(source).body as Node[])
        .map((statement) => (statement.declaration as Node | null) ?? statement)
        .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
        .flatMap(({ declarations }) => declarations as Node[])
        .filter(({ id, init }) => (id as Node).type === 'Identifier' && isConstant(init as Node | null))
        .map(({ id }) => id as Node)
        .filter(({ name }) => !CONSTANT.test(name as string) && name !== TITLE)
        .map(({ name, start }) => `${source.at(start)} ${name}`),
    )
  expect(wrong).toEqual([])
})

/** A literal, what is reckoned from literals, or a list of such. */
function isConstant(node: Node | null): boolean {
  switch (node?.type) {
    case 'Literal':
      return true
    case 'TemplateLiteral':
      return (node.expressions as Node[]).every(isConstant)
    case 'BinaryExpression':
      return isConstant(node.left as Node) && isConstant(node.right as Node)
    case 'UnaryExpression':
      return isConstant(node.argument as Node)
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isConstant(node.expression as Node)
    case 'ArrayExpression':
      return (node.elements as Node[]).length > 0 && (node.elements as (Node | null)[]).every(isConstant)
    default:
      return false
  }
}
