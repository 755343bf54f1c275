// Pages that a browser translates: React fails, or goes on showing an old text, where a text node that a translator replaces
// is next to elements. So each text is alone in its element. tests/e2e/translator.ts finds in the browser what no syntax tells.
import { expect, test } from 'vitest'
import { files, type Node, nodes, tree } from '../support/sources.ts'
import { isIdentifier } from '../support/syntax.ts'

/** Calls that return a text, by their names. */
const TEXTS = /^(t|format[A-Z]\w*|\w+Text|money)$/

/** Whether what is shown here may be a text; spaces alone are not replaced. */
function mayBeText(node: Node): boolean {
  switch (node.type) {
    case 'JSXText':
      return /\S/.test(node.value as string)
    case 'Literal':
      return typeof node.value === 'string' && /\S/.test(node.value)
    case 'TemplateLiteral':
      return true
    case 'BinaryExpression':
      return node.operator === '+'
    case 'ConditionalExpression':
      return mayBeText(node.consequent as Node) || mayBeText(node.alternate as Node)
    case 'LogicalExpression':
      return mayBeText(node.right as Node) || (node.operator !== '&&' && mayBeText(node.left as Node))
    case 'CallExpression': {
      const { type, name } = node.callee as Node
      return type === 'Identifier' && TEXTS.test(name as string)
    }
    default:
      return node.expression ? mayBeText(node.expression as Node) : false
  }
}

const isShown = (node: Node) =>
  node.type === 'JSXText'
    ? /\S/.test(node.value as string)
    : (node.expression as Node | undefined)?.type !== 'JSXEmptyExpression'

test('each text is alone in its element', () => {
  const wrong = files(/^web\/.*\.tsx$/).flatMap((source) =>
    nodes(tree(source)).flatMap((node) => {
      if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return []
      const shown = (node.children as Node[]).filter(isShown)
      // A fragment is no element: its children have neighbours.
      if (node.type === 'JSXElement' && shown.length < 2) return []
      return shown.filter(mayBeText).map(({ start }) => source.at(start))
    }),
  )
  expect(wrong).toEqual([])
})

test('no component is a text without an element', () => {
  const wrong = files(/^web\/.*\.tsx$/).flatMap((source) =>
    nodes(tree(source))
      .filter(({ type, id }) => type === 'FunctionDeclaration' && /^[A-Z]/.test((id as Node).name as string))
      .flatMap(({ body }) => returned(body as Node))
      .filter(mayBeText)
      .map(({ start }) => source.at(start)),
  )
  expect(wrong).toEqual([])
})

test('an amount alone in its element is not translated', () => {
  const wrong = files(/^web\/.*\.tsx$/).flatMap((source) =>
    nodes(tree(source))
      .filter(({ type, children }) => type === 'JSXElement' && (children as Node[]).some(isAmount))
      .filter(({ start, openingElement }) => {
        const { end } = openingElement as Node
        return !/translate="no"/.test(source.text.slice(start, end))
      })
      .map(({ start }) => source.at(start)),
  )
  expect(wrong).toEqual([])
})

const isAmount = ({ expression }: Node) =>
  (expression as Node | undefined)?.type === 'CallExpression' &&
  isIdentifier((expression as Node).callee, 'formatMoney')

/** The returned nodes of a function, without functions inside it. */
function returned(node: Node): Node[] {
  if (/Function/.test(node.type)) return []
  if (node.type === 'ReturnStatement') return node.argument ? [node.argument as Node] : []
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
    .flatMap(returned)
}
