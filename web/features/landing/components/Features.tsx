// Advanced features: advantages over arranging a job by phone, next to jobs that wait for somebody now.
import { lazy, Suspense, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/Section.tsx'
import { useInView } from '../../../ui/useInView.ts'
import { features } from '../content.ts'

const LiveTasks = lazy(async () => ({ default: (await import('./LiveTasks.tsx')).LiveTasks }))

export function Features() {
  const { t } = useTranslation()
  const live = useRef<HTMLDivElement>(null)
  const near = useInView(live)
  return (
    <Section title={t('landing.features.title')} lead={t('landing.features.lead')}>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,1fr)_27rem]">
        <dl className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
          {features.map(({ key, icon: Icon }) => (
            <div key={key} className="relative ps-10">
              <dt className="font-bold">
                <Icon
                  aria-hidden
                  className="absolute start-0 top-0.5 size-6 text-wheat-ink"
                  strokeWidth={1.75}
                />
                <span>{t(`landing.features.${key}.title`)}</span>
              </dt>
              <dd className="mt-0.5 text-ink-soft">{t(`landing.features.${key}.body`)}</dd>
            </div>
          ))}
        </dl>
        {/* As high as four cards from the start, so that nothing below moves. */}
        <div ref={live} className="min-h-104 min-w-0 lg:-mt-32">
          {near && (
            <Suspense fallback={null}>
              <LiveTasks />
            </Suspense>
          )}
        </div>
      </div>
    </Section>
  )
}
