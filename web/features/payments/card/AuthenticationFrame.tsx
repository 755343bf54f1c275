// The bank's question to the payer, shown in place of the card; the sandbox's page tells when it was answered.
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'

/** Leaving it unanswered counts as answered: the payment then simply stays unpaid. */
export function AuthenticationFrame({ url, onAnswered }: { url: string; onAnswered: () => void }) {
  const { t } = useTranslation()
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      if (event.source === frame.current?.contentWindow && event.data?.type === 'card-authentication')
        onAnswered()
    }
    window.addEventListener('message', hear)
    frame.current?.focus({ preventScroll: true })
    // On a phone it would begin below the dialog's edge.
    frame.current?.scrollIntoView({ block: 'start' })
    return () => window.removeEventListener('message', hear)
  }, [onAnswered])
  return (
    <div className="flex flex-col items-center gap-3">
      <iframe
        ref={frame}
        src={url}
        title={t('payments.authentication')}
        className="h-120 w-full rounded-md border border-line bg-paper"
      />
      <Button variant="link" onClick={onAnswered}>
        {t('payments.leaveAuthentication')}
      </Button>
    </div>
  )
}
