// /how-it-works: six steps for each side, the way of the money, and safety (spec 000 §2).
import { BadgeCheck, EyeOff, Flag, type LucideIcon, ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { ScenicHeader } from '../../ui/ScenicHeader.tsx'
import { Section } from '../../ui/Section.tsx'
import { Steps } from '../../ui/Steps.tsx'

const GIVER_STEPS = ['post', 'review', 'accept', 'communicate', 'pay', 'rate'] as const
const DOER_STEPS = ['browse', 'propose', 'accepted', 'complete', 'paid', 'reputation'] as const
const safety: { key: 'verified' | 'escrow' | 'privacy' | 'complaints'; icon: LucideIcon }[] = [
  { key: 'verified', icon: BadgeCheck },
  { key: 'escrow', icon: ShieldCheck },
  { key: 'privacy', icon: EyeOff },
  { key: 'complaints', icon: Flag },
]

export default function HowItWorksPage() {
  const { t } = useTranslation()
  return (
    <>
      <ScenicHeader title={t('pages.how.title')} subtitle={t('pages.how.lead')} />
      <Page>
        <div className="grid gap-x-16 gap-y-14 lg:grid-cols-2">
          <section aria-labelledby="for-givers" className="flex flex-col items-start">
            <h2 id="for-givers" className="mb-7 text-2xl sm:text-3xl">
              {t('pages.how.givers.title')}
            </h2>
            <Steps
              level={3}
              steps={GIVER_STEPS.map((step) => ({
                title: t(`pages.how.givers.${step}.title`),
                body: t(`pages.how.givers.${step}.body`),
              }))}
            />
            <Button asChild className="mt-8">
              <Link to={paths.postTask}>{t('pages.how.givers.action')}</Link>
            </Button>
          </section>
          <section aria-labelledby="for-doers" className="flex flex-col items-start">
            <h2 id="for-doers" className="mb-7 text-2xl sm:text-3xl">
              {t('pages.how.doers.title')}
            </h2>
            <Steps
              level={3}
              steps={DOER_STEPS.map((step) => ({
                title: t(`pages.how.doers.${step}.title`),
                body: t(`pages.how.doers.${step}.body`),
              }))}
            />
            <Button asChild variant="secondary" className="mt-8">
              <Link to={paths.browse}>{t('pages.how.doers.action')}</Link>
            </Button>
          </section>
        </div>
      </Page>
      <Section
        title={t('pages.how.safety.title')}
        lead={t('pages.how.safety.lead')}
        className="mt-8 -mb-16 border-t border-line bg-surface"
      >
        <ul className="grid gap-x-12 gap-y-9 sm:grid-cols-2">
          {safety.map(({ key, icon: Icon }) => (
            <li key={key} className="flex gap-5">
              <Icon aria-hidden className="mt-0.5 size-7 shrink-0 text-success" />
              <div>
                <h3 className="font-sans text-lg font-bold tracking-normal">
                  {t(`pages.how.safety.${key}.title`)}
                </h3>
                <p className="mt-1 max-w-md text-ink-soft">{t(`pages.how.safety.${key}.body`)}</p>
              </div>
            </li>
          ))}
        </ul>
      </Section>
    </>
  )
}
