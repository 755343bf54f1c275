// Typed input, whatever the keyboard and language: keys and numbers are read in one place each.
import { expect, test } from 'vitest'
import { files, literal, type Node, nodes, tree } from '../support/sources.ts'

const wrongIn = (isWrong: (node: Node) => boolean) =>
  files(/^web\/.*\.tsx?$/)
    .filter(({ path }) => path !== 'web/ui/keys.ts' && !path.endsWith('.d.ts'))
    .flatMap((source) =>
      nodes(tree(source))
        .filter(isWrong)
        .map(({ start }) => source.at(start)),
    )

test('Enter is recognized by isEnter, which leaves it to input methods', () => {
  const compares = ({ type, left, right }: Node) =>
    type === 'BinaryExpression' && [left, right].some((side) => literal(side) === 'Enter')
  expect(wrongIn(compares)).toEqual([])
})

test('no field is of the type number, which knows one way to write numbers', () => {
  const isNumberField = ({ type, name, value }: Node) =>
    type === 'JSXAttribute' && (name as Node).name === 'type' && literal(value) === 'number'
  expect(wrongIn(isNumberField)).toEqual([])
})
