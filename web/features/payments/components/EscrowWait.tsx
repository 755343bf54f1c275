// After the card was charged: the wait until the verified webhook has put the money into escrow.
import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Spinner } from '../../../ui/Spinner.tsx'

const SLOW_AFTER_MS = 20_000

type WaitProps = {
  total: string
  held: boolean
  /** The text once the money is there; left out for a booking. */
  done: string | undefined
}

export function EscrowWait({ total, held, done }: WaitProps) {
  const { t } = useTranslation()
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [held])

  return (
    <div role="status" className="flex flex-col items-center gap-3 py-8 text-center">
      {held ? (
        <CircleCheck aria-hidden className="size-14 text-success" strokeWidth={1.5} />
      ) : (
        <Spinner className="size-10 text-ink-soft" />
      )}
      <p className="font-display text-xl font-semibold">
        {t(held ? 'payments.heldTitle' : 'payments.securingTitle')}
      </p>
      <p className="max-w-prose text-ink-soft">
        {held
          ? (done ?? t('payments.heldBody', { total }))
          : t(slow ? 'payments.securingSlow' : 'payments.securingBody')}
      </p>
    </div>
  )
}
