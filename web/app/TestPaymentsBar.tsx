// Says on every screen that no real money moves, and where the test mail is read. The document has an attribute that
// shows it, so that pages rendered at build have it in its place at once.
import { FlaskConical } from 'lucide-react'
import { useTranslation } from 'react-i18next'

export function TestPaymentsBar() {
  const { t } = useTranslation()
  return (
    <aside
      aria-label={t('layout.testBar.label')}
      className="hidden bg-ink text-paper dark:bg-sunken dark:text-ink-soft in-data-sandbox:block"
    >
      <div className="measure flex min-h-8 flex-wrap items-center justify-center gap-x-2 py-1 text-center text-sm">
        <span className="inline-flex items-center gap-1.5">
          <FlaskConical aria-hidden className="size-4 shrink-0" />
          <span>{t('layout.testBar.text')}</span>
        </span>
        {/* Not one of our screens: the server draws it. */}
        <a href="/sandbox/inbox" className="py-0.5 font-semibold underline underline-offset-2">
          {t('layout.testBar.inbox')}
        </a>
      </div>
    </aside>
  )
}
