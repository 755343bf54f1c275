// Safety and trust: the way of the money first, then what is checked before anyone comes to the door.
import { useTranslation } from 'react-i18next'
import { Section } from '../../../ui/Section.tsx'
import { escrow, safety } from '../content.ts'
import { EscrowTrack } from './EscrowTrack.tsx'

export function Safety() {
  const { t } = useTranslation()
  const { icon: EscrowIcon } = escrow
  return (
    <Section
      title={t('landing.safety.title')}
      lead={t('landing.safety.lead')}
      className="border-y border-line bg-surface"
    >
      <div className="flex items-start gap-3">
        <EscrowIcon aria-hidden className="mt-1 size-7 shrink-0 text-success" />
        <div>
          <h3 className="text-2xl">{t('landing.safety.escrow.title')}</h3>
          <p className="mt-1 max-w-2xl text-ink-soft">{t('landing.safety.escrow.body')}</p>
        </div>
      </div>
      <div className="mt-8 lg:mt-4">
        <EscrowTrack />
      </div>
      <ul className="mt-14 grid gap-x-10 gap-y-6 border-t border-line pt-8 sm:grid-cols-2 lg:grid-cols-6">
        {safety.map(({ key, icon: Icon }, place) => (
          <li key={key} className={`flex gap-3 ${place < 2 ? 'lg:col-span-3' : 'lg:col-span-2'}`}>
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-success" />
            <div>
              <h3 className="font-sans text-base leading-snug font-bold tracking-normal">
                {t(`landing.safety.${key}.title`)}
              </h3>
              <p className="mt-0.5 text-ink-soft">{t(`landing.safety.${key}.body`)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
