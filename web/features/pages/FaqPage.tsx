// /faq: twelve questions, one open at a time (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { GST_PERCENT, PLATFORM_FEE_PERCENT } from '../../../shared/fees.ts'
import { limits } from '../../../shared/limits.ts'
import { fromDollars } from '../../../shared/money.ts'
import { formatMoney } from '../../lib/format.ts'
import { site } from '../../lib/site.ts'
import { Accordion } from '../../ui/Accordion.tsx'
import { Button } from '../../ui/Button.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'

const questions = [
  'what',
  'post',
  'cost',
  'minimum',
  'verified',
  'escrow',
  'unhappy',
  'cancel',
  'paid',
  'keep',
  'insurance',
  'privacy',
] as const

export default function FaqPage() {
  const { t } = useTranslation()
  const figures = {
    fee: PLATFORM_FEE_PERCENT,
    gst: GST_PERCENT,
    both: PLATFORM_FEE_PERCENT + GST_PERCENT,
    afterFee: 100 - PLATFORM_FEE_PERCENT,
    afterGst: 100 - PLATFORM_FEE_PERCENT - GST_PERCENT,
    minimum: formatMoney(fromDollars(limits.payAmount.min)),
  }
  return (
    <Page width="narrow">
      <PageHeader title={t('pages.faq.title')} subtitle={t('pages.faq.lead')} />
      <Accordion
        items={questions.map((question) => ({
          id: question,
          title: t(`pages.faq.${question}.question`, figures),
          body: <p>{t(`pages.faq.${question}.answer`, figures)}</p>,
        }))}
      />
      <section className="mt-12 flex flex-wrap items-center justify-between gap-x-8 gap-y-4 rounded-lg bg-sunken p-6">
        <div>
          <h2 className="text-xl">{t('pages.faq.more')}</h2>
          <p className="mt-1 text-ink-soft">{t('pages.faq.moreBody')}</p>
        </div>
        <Button asChild variant="secondary">
          <a href={`mailto:${site.contactEmail}`}>{t('pages.faq.contact')}</a>
        </Button>
      </section>
    </Page>
  )
}
