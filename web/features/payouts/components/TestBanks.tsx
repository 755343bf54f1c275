// Stripe's published test accounts, each for one outcome; shown while the sandbox stands in for it.
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'

const testBanks = [
  { number: '000123456789', outcome: 'payouts.testBanks.good' },
  { number: '000111111113', outcome: 'payouts.testBanks.closed' },
  { number: '000111111116', outcome: 'payouts.testBanks.missing' },
] as const

export function TestBanks({ onUse }: { onUse: (number: string) => void }) {
  const { t } = useTranslation()
  return (
    <div className="rounded-md bg-wheat-soft px-3 pt-3 pb-2 text-sm">
      <p className="font-semibold text-wheat-ink">{t('payouts.testMode')}</p>
      <ul className="mt-1">
        {testBanks.map(({ number, outcome }) => (
          <li key={number} className="flex items-center gap-x-3">
            <span className="flex min-w-0 flex-1 flex-col sm:flex-row sm:gap-x-3">
              <span className="tabular whitespace-nowrap">{number}</span>
              <span className="text-ink-soft">{t(outcome)}</span>
            </span>
            <Button
              variant="link"
              size="sm"
              className="min-h-9 text-sm"
              aria-label={t('payouts.useTestBank', { number })}
              onClick={() => onUse(number)}
            >
              {t('payouts.use')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
