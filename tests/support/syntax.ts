// What nodes of the syntax tree mean, for tests/architecture.test.ts: members, calls, and text that a person reads.
import { literal, type Node } from './sources.ts'

/** Attributes whose text a person sees or hears. */
const SPOKEN_ATTRIBUTES = ['alt', 'aria-description', 'aria-label', 'label', 'placeholder', 'title']

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

/** The text of a node when a person would see or hear it: JSX text, a spoken attribute, a toast's words. */
export function visibleText(node: Node): string | undefined {
  if (node.type === 'JSXText') return node.value as string
  if (node.type === 'JSXExpressionContainer') return literal(node.expression)
  if (node.type === 'JSXAttribute' && SPOKEN_ATTRIBUTES.includes((node.name as Node).name as string))
    return literal(node.value)
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node
    const target = callee.type === 'MemberExpression' ? callee.object : callee
    if (isIdentifier(target, 'toast')) return literal((node.arguments as Node[])[0])
  }
  return undefined
}
