// Safety and trust: what is checked before anyone comes to the door.
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/Section.tsx'
import { safety } from '../content.ts'

export function Safety() {
  const { t } = useTranslation()
  return (
    <Section
      title={t('landing.safety.title')}
      lead={t('landing.safety.lead')}
      className="border-y border-line bg-surface"
    >
      <ul className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-3">
        {safety.map(({ key, icon: Icon }) => (
          <li key={key} className="bg-surface p-6">
            <Icon aria-hidden className="size-7 text-success" />
            <h3 className="mt-4 text-xl">{t(`landing.safety.${key}.title`)}</h3>
            <p className="mt-2 text-ink-soft">{t(`landing.safety.${key}.body`)}</p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
