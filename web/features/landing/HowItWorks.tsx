// Four steps for those who need a hand, four for those who lend one.
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Section } from '../../ui/Section.tsx'
import { doerSteps, giverSteps } from './content.ts'

export function HowItWorks() {
  const { t } = useTranslation()
  return (
    <Section
      title={t('landing.how.title')}
      className="border-y border-line bg-surface"
      action={
        <Button asChild variant="link">
          <Link to={paths.howItWorks}>
            {t('landing.how.more')}
            <ArrowRight aria-hidden className="rtl:-scale-x-100" />
          </Link>
        </Button>
      }
    >
      <div className="grid gap-x-16 gap-y-14 lg:grid-cols-2">
        <Steps
          title={t('landing.how.givers.title')}
          steps={giverSteps.map((step) => ({
            key: step,
            title: t(`landing.how.givers.${step}.title`),
            body: t(`landing.how.givers.${step}.body`),
          }))}
        />
        <Steps
          title={t('landing.how.doers.title')}
          steps={doerSteps.map((step) => ({
            key: step,
            title: t(`landing.how.doers.${step}.title`),
            body: t(`landing.how.doers.${step}.body`),
          }))}
        />
      </div>
    </Section>
  )
}

/** Fence posts along one wire: each step stands on the next. */
function Steps({ title, steps }: { title: string; steps: { key: string; title: string; body: string }[] }) {
  return (
    <div>
      <h3 className="mb-6 text-2xl">{title}</h3>
      <ol>
        {steps.map((step, index) => (
          <li key={step.key} className="relative flex gap-5 pb-8 last:pb-0">
            {index < steps.length - 1 && (
              <span aria-hidden className="absolute start-[1.1875rem] top-10 bottom-0 w-0.5 bg-line" />
            )}
            <span
              aria-hidden
              className="tabular relative grid size-10 shrink-0 place-items-center rounded-full bg-wheat-soft font-display text-lg font-bold text-wheat-ink"
            >
              {index + 1}
            </span>
            <div className="pt-1.5">
              <h4 className="text-lg font-bold">{step.title}</h4>
              <p className="mt-1 max-w-md text-ink-soft">{step.body}</p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  )
}
