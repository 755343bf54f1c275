// The problem that a form or dialog shows, and its text once a lost connection is back.
import { onlineManager } from '@tanstack/react-query'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { startI18n } from '../../i18n/index.ts'
import { FieldError, Problem } from './Field.tsx'

test.each([FieldError, Problem])('%o says that the connection is back', async (Shown) => {
  await startI18n('en')
  const text = i18next.t('verification.documentFailed', { reason: i18next.t('errors.offline') })
  expect(onlineManager.isOnline()).toBe(true)
  const html = renderToStaticMarkup(<Shown>{text}</Shown>)
  expect(html).toContain('You are back online')
  expect(html).not.toContain('You are offline')
})
