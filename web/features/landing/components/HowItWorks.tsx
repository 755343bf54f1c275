// Four steps for those who need a hand, four for those who lend one.
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Section } from '../../../ui/Section.tsx'
import { Steps } from '../../../ui/Steps.tsx'
import { DOER_STEPS, GIVER_STEPS } from '../content.ts'

export function HowItWorks() {
  const { t } = useTranslation()
  return (
    <Section
      title={t('landing.how.title')}
      className="border-y border-line bg-surface"
      action={
        <Button asChild variant="link">
          <Link to={paths.howItWorks}>
            <span>{t('landing.how.more')}</span>
            <ArrowRight aria-hidden className="rtl:-scale-x-100" />
          </Link>
        </Button>
      }
    >
      <div className="grid gap-x-16 gap-y-14 lg:grid-cols-2">
        <div>
          <h3 className="mb-6 text-2xl">{t('landing.how.givers.title')}</h3>
          <Steps
            steps={GIVER_STEPS.map((step) => ({
              title: t(`landing.how.givers.${step}.title`),
              body: t(`landing.how.givers.${step}.body`),
            }))}
          />
        </div>
        <div>
          <h3 className="mb-6 text-2xl">{t('landing.how.doers.title')}</h3>
          <Steps
            steps={DOER_STEPS.map((step) => ({
              title: t(`landing.how.doers.${step}.title`),
              body: t(`landing.how.doers.${step}.body`),
            }))}
          />
        </div>
      </div>
    </Section>
  )
}
