// Advanced features: what makes arranging a job by phone feel old.
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/Section.tsx'
import { features } from '../content.ts'

export function Features() {
  const { t } = useTranslation()
  return (
    <Section title={t('landing.features.title')} lead={t('landing.features.lead')}>
      <dl className="grid gap-x-10 gap-y-9 sm:grid-cols-2 lg:grid-cols-3">
        {features.map(({ key, icon: Icon }) => (
          <div key={key} className="border-t border-line-strong/60 pt-5">
            <dt className="flex items-center gap-3 text-lg font-bold">
              <Icon aria-hidden className="size-5 shrink-0 text-wheat-ink" />
              {t(`landing.features.${key}.title`)}
            </dt>
            <dd className="mt-2 text-ink-soft">{t(`landing.features.${key}.body`)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
