// /faq: twelve questions, one open at a time (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { contactEmail } from '../../../marketplace.config.ts'
import { Accordion } from '../../ui/Accordion.tsx'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { ScenicHeader } from '../../ui/ScenicHeader.tsx'
import { faq } from './faq.ts'

export default function FaqPage() {
  const { t } = useTranslation()
  return (
    <>
      <ScenicHeader title={t('pages.faq.title')} subtitle={t('pages.faq.lead')} />
      <Page width="narrow">
        <Accordion
          items={faq(t).map(({ id, question, answer }) => ({ id, title: question, body: <p>{answer}</p> }))}
        />
        <section className="mt-12 flex flex-wrap items-center justify-between gap-x-8 gap-y-4 rounded-lg bg-sunken p-6">
          <div>
            <h2 className="text-xl">{t('pages.faq.more')}</h2>
            <p className="mt-1 text-ink-soft">{t('pages.faq.moreBody')}</p>
          </div>
          <Button asChild variant="secondary">
            <a href={`mailto:${contactEmail}`}>{t('pages.faq.contact')}</a>
          </Button>
        </section>
      </Page>
    </>
  )
}
