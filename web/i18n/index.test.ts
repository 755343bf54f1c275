// Texts are there in the language that is read, however files and languages come: no key is ever shown.
import i18next from 'i18next'
import { afterEach, expect, test, vi } from 'vitest'

test('a file that cannot be loaded is read in English, and asked for again with the next screen', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.resetModules()
  let isBroken = true
  vi.doMock('./ar/messages.json', () => {
    if (isBroken) throw new Error('Failed to fetch')
    return { default: { title: 'الرسائل' } }
  })
  const { openNamespaces, startI18n } = await import('./index.ts')
  await startI18n('ar')
  expect(i18next.t('messages.title')).toBe('Messages')
  // Arabic has a form for three that English lacks.
  expect(i18next.t('messages.unread', { count: 3 })).toContain('unread messages')
  expect(warned).toHaveBeenCalled()
  isBroken = false
  await openNamespaces([])
  expect(i18next.t('messages.title')).toBe('الرسائل')
})

test.each([
  ['before', ['open', 'switch']],
  ['while', ['switch', 'open']],
])(
  'texts of a screen that opens %s the language is switched are there in the new language',
  async (_, order) => {
    vi.resetModules()
    import.meta.env.FRAME_TEXTS = ['layout']
    const { openNamespaces, startI18n } = await import('./index.ts')
    await startI18n('en')
    const steps = { open: () => openNamespaces(['pages']), switch: () => startI18n('de') }
    const begun = []
    for (const step of order) {
      begun.push(steps[step as keyof typeof steps]())
      await Promise.resolve()
    }
    await Promise.all(begun)
    expect(i18next.t('pages.notFound.title')).toBe('Hoppla! Seite nicht gefunden')
    expect(i18next.hasResourceBundle('de', 'landing')).toBe(false)
  },
)

// All files of a worker share i18next.
afterEach(async () => {
  vi.doUnmock('./ar/messages.json')
  delete import.meta.env.FRAME_TEXTS
  vi.restoreAllMocks()
  vi.resetModules()
  const { startI18n } = await import('./index.ts')
  await startI18n('en')
})
