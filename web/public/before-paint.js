// Sets theme, language and direction before the first paint, so that nothing flashes.
// It is a file, not an inline script, so that the content security policy can stay strict.
;(() => {
  const root = document.documentElement
  let theme = 'light'
  let language = 'en'
  try {
    theme = localStorage.getItem('theme') || theme
    language = localStorage.getItem('language') || language
  } catch {
    // Storage can be switched off; the defaults then hold.
  }
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  root.dataset.theme = theme === 'dark' ? 'dark' : 'light'
  root.lang = language
  root.dir = language === 'ar' ? 'rtl' : 'ltr'
})()
