// The place of the install button: on a desktop only where a screen asks for it.
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { InstallButton } from './InstallButton.tsx'

const rendered = (showOnDesktop?: true) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <InstallButton showOnDesktop={showOnDesktop} />
    </MemoryRouter>,
  )

test('on a desktop it is hidden unless it is shown explicitly', async () => {
  await startI18n('en')
  expect(rendered()).toBe('')
  expect(rendered(true)).toContain('Install App')
})
