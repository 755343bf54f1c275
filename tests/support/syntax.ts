// Interprets nodes of the syntax tree for tests/architecture.test.ts: members, calls, and text that a person reads.
import { literal, type Node, nodes, type Source, tree } from './sources.ts'

/** Attributes whose text a person sees or hears. */
const SPOKEN_ATTRIBUTES =
  'alt aria-description aria-label aria-roledescription aria-valuetext body cancelLabel confirmLabel description hint label placeholder title'.split(
    ' ',
  )

export function isIdentifier(node: unknown, name: string) {
  return (node as Node)?.type === 'Identifier' && (node as Node).name === name
}

export function isMember(node: Node, object: string | undefined, property: string) {
  return (
    node.type === 'MemberExpression' &&
    (object === undefined || isIdentifier(node.object, object)) &&
    isIdentifier(node.property, property)
  )
}

export function isCallOf(node: Node, name: string) {
  if (node.type !== 'CallExpression') return false
  const callee = node.callee as Node
  return (
    isIdentifier(callee, name) || (callee.type === 'MemberExpression' && isIdentifier(callee.property, name))
  )
}

/** The texts of a node that a person would see or hear: JSX text, a spoken attribute, a toast's words. */
export function visibleTexts(node: Node): string[] {
  if (node.type === 'JSXText') return [node.value as string]
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return (node.children as Node[])
      .filter(({ type }) => type === 'JSXExpressionContainer')
      .flatMap(({ expression }) => wordsOf(expression as Node))
  if (node.type === 'JSXAttribute') {
    const value = node.value as Node | null
    if (!value || !SPOKEN_ATTRIBUTES.includes((node.name as Node).name as string)) return []
    return wordsOf(value.type === 'JSXExpressionContainer' ? (value.expression as Node) : value)
  }
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node
    const target = callee.type === 'MemberExpression' ? callee.object : callee
    if (!isIdentifier(target, 'toast')) return []
    const [title, options] = node.arguments as Node[]
    const described = ((options?.properties as Node[]) ?? []).filter(({ key }) =>
      isIdentifier(key, 'description'),
    )
    return [...wordsOf(title), ...described.flatMap(({ value }) => wordsOf(value as Node))]
  }
  return []
}

/**
 * Possible values of an expression, as far as they are written out: both sides of a condition, the fixed parts of a
 * template.
 */
function wordsOf(expression: Node | undefined): string[] {
  if (!expression) return []
  const text = literal(expression)
  if (text !== undefined) return [text]
  switch (expression.type) {
    case 'ConditionalExpression':
      return [...wordsOf(expression.consequent as Node), ...wordsOf(expression.alternate as Node)]
    case 'LogicalExpression':
    case 'BinaryExpression':
      // Compared values are not shown.
      if (!['+', '||', '&&', '??'].includes(expression.operator as string)) return []
      return [...wordsOf(expression.left as Node), ...wordsOf(expression.right as Node)]
    case 'TemplateLiteral':
      return [
        ...(expression.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked),
        ...(expression.expressions as Node[]).flatMap(wordsOf),
      ]
    default:
      return []
  }
}

/** The functions of a file with a body, and how many lines each takes. */
export function functionsOf(source: Source): { at: string; lines: number }[] {
  return nodes(tree(source))
    .filter(({ type, body }) => /^(Arrow)?Function/.test(type) && body)
    .map(({ start, end }) => ({
      at: source.at(start),
      lines: source.text.slice(start, end).split('\n').length,
    }))
}
