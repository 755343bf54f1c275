// Texts that tests/architecture.test.ts takes for visible or spoken.
import { expect, test } from 'vitest'
import { nodes, tree } from '../support/sources.ts'
import { visibleTexts } from '../support/syntax.ts'

test('it is seen wherever it could be, and other strings are not', () => {
  const text = `const a = <><p title={\`Seen \${b}\`}>Words</p>{busy ? 'One' : <b>{none || 'Two'}</b>}</>
    toast.error(t('x'), { description: 'Three ' + b })
    const unseen = <p className={on ? 'flex gap' : ''} key="unseen">{kind === 'unseen' && t('a.key')}</p>`
  const found = [...nodes(tree({ path: 'Example.tsx', text, at: String }))].flatMap(visibleTexts)
  expect(
    found
      .map((words) => words.trim())
      .filter((words) => /\w{2}/.test(words))
      .sort(),
  ).toEqual(['One', 'Seen', 'Three', 'Two', 'Words'])
})
