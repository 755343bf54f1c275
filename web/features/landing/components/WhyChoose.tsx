// Why people choose Meadowlark: an honest example of a price next to three reasons and two figures.
import { useTranslation } from 'react-i18next'
import { fees } from '../../../../shared/fees.ts'
import { type Cents, cents } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'
import { useMarketingFigures } from '../../../lib/queries/marketingFigures.ts'
import { Money } from '../../../ui/Money.tsx'
import { Section } from '../../../ui/Section.tsx'

const REASONS = ['open', 'share', 'local'] as const

export function WhyChoose() {
  const { t } = useTranslation()
  const { activeUsers, tasksCompleted } = useMarketingFigures()
  return (
    <Section title={t('landing.why.title')}>
      <div className="grid items-start gap-x-16 gap-y-12 lg:grid-cols-[1fr_26rem]">
        <div>
          <dl className="divide-y divide-line border-y border-line">
            {REASONS.map((reason) => (
              <div key={reason} className="py-6">
                <dt className="font-display text-xl font-bold">{t(`landing.why.${reason}.title`)}</dt>
                <dd className="mt-1.5 max-w-xl text-ink-soft">{t(`landing.why.${reason}.body`)}</dd>
              </div>
            ))}
          </dl>
          {(activeUsers ?? tasksCompleted) !== null && (
            <dl className="mt-8 flex flex-wrap gap-x-14 gap-y-6">
              {activeUsers && <Claim figure={activeUsers} label={t('landing.why.users')} />}
              {tasksCompleted && <Claim figure={tasksCompleted} label={t('landing.why.tasks')} />}
            </dl>
          )}
        </div>
        <PriceExample />
      </div>
    </Section>
  )
}

function Claim({ figure, label }: { figure: string; label: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="tabular font-display text-5xl font-bold tracking-tight">{figure}</dd>
    </div>
  )
}

const EXAMPLE_AMOUNT = cents(8000)

/** One job's money, line by line, as the app itself works it out. */
function PriceExample() {
  const { t } = useTranslation()
  const { platformFee, gst, total, payout } = fees(EXAMPLE_AMOUNT)
  return (
    <figure className="rounded-lg border border-line bg-surface p-6">
      <figcaption>
        <span className="font-display text-xl font-bold">
          {t('landing.why.example.title', { amount: formatMoney(EXAMPLE_AMOUNT) })}
        </span>
        <span className="mt-1 block text-ink-soft">{t('landing.why.example.caption')}</span>
      </figcaption>
      <dl className="mt-5">
        <Line label={t('landing.why.example.amount')} amount={EXAMPLE_AMOUNT} />
        <Line label={t('landing.why.example.fee')} amount={platformFee} />
        <Line label={t('landing.why.example.gst')} amount={gst} />
        <Line label={t('landing.why.example.total')} amount={total} strong />
      </dl>
      <div aria-hidden className="my-5 border-t-2 border-dashed border-line" />
      <dl>
        <Line label={t('landing.why.example.afterFee')} amount={cents(EXAMPLE_AMOUNT - platformFee)} />
        <Line label={t('landing.why.example.payout')} amount={payout} strong />
      </dl>
    </figure>
  )
}

function Line({ label, amount, strong }: { label: string; amount: Cents; strong?: boolean }) {
  return (
    <div
      className={
        strong ? 'flex justify-between gap-4 pt-2 text-lg font-bold' : 'flex justify-between gap-4 py-1'
      }
    >
      <dt>{label}</dt>
      <dd>
        <Money amount={amount} exact />
      </dd>
    </div>
  )
}
