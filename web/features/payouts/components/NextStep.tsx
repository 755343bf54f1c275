// The payment provider's open requirements, with the reasons and the way to meet them.
import { ArrowUpRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { continuePayoutSetup } from '../api/actions.ts'
import type { PayoutAccount } from '../api/queries.ts'
import type { distinctNeeds } from '../requirements.ts'

export function NextStep({
  account,
  needs,
}: {
  account: PayoutAccount
  needs: ReturnType<typeof distinctNeeds>
}) {
  const { t } = useTranslation()
  const leaving = useAction(continuePayoutSetup, { onError: t('payouts.error') })
  const errors = account.requirement_errors as { requirement: string; reason: string }[]
  const elsewhere = needs.some(({ part }) => part === 'elsewhere')
  return (
    <section aria-labelledby="payout-next-step" className="rounded-md bg-wheat-soft p-4">
      <h3 id="payout-next-step" className="font-sans text-base font-semibold text-wheat-ink">
        {t('payouts.nextStep')}
      </h3>
      <p className="mt-1">{t('payouts.stillNeeded')}</p>
      <ul className="mt-1 list-disc ps-5">
        {needs.map(({ text }) => (
          <li key={text}>{t(text)}</li>
        ))}
      </ul>
      {errors.map(({ requirement, reason }) => (
        <p key={requirement} className="mt-2 text-sm wrap-anywhere">
          {reason}
        </p>
      ))}
      {elsewhere ? (
        <div className="mt-3 flex flex-col items-start gap-2">
          <p className="text-sm text-ink-soft">{t('payouts.continueBody')}</p>
          <Button
            className="max-w-full whitespace-normal"
            loading={leaving.isPending}
            onClick={() => leaving.mutate()}
          >
            <span>{t('payouts.continue')}</span>
            <ArrowUpRight aria-hidden />
          </Button>
        </div>
      ) : (
        <p className="mt-2 text-sm">{t('payouts.correctBelow')}</p>
      )}
    </section>
  )
}
