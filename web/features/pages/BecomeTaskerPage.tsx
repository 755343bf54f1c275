// /become-tasker: why and how to work here (spec 000 §2 'Become a tasker').
import { CalendarHeart, HandCoins, type LucideIcon, MapPin, ShieldCheck, TrendingUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { categoryText } from '../../lib/categoryText.ts'
import { paths, signUpLink } from '../../lib/paths.ts'
import { useMarketingFigures } from '../../lib/queries/marketingFigures.ts'
import { useRoles, useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { CallToAction, CTA_PRIMARY_CLASSES } from '../../ui/CallToAction.tsx'
import { CategoryIcon } from '../../ui/CategoryIcon.tsx'
import { Scene } from '../../ui/horizon/Scene.tsx'
import { Section } from '../../ui/Section.tsx'
import { Steps } from '../../ui/Steps.tsx'
import { useAddRole } from '../../ui/useRoleSwitch.ts'

const benefits: { key: 'share' | 'hours' | 'near' | 'paid' | 'grow'; icon: LucideIcon }[] = [
  { key: 'share', icon: HandCoins },
  { key: 'hours', icon: CalendarHeart },
  { key: 'near', icon: MapPin },
  { key: 'paid', icon: ShieldCheck },
  { key: 'grow', icon: TrendingUp },
]
const STEPS = ['signUp', 'getVerified', 'startEarning'] as const
const SERVICES = [
  'Snow Removal',
  'Cleaning',
  'Moving',
  'Delivery',
  'Handyman',
  'Gardening',
  'Pet Care',
  'Painting',
  'Electrical',
  'Plumbing',
  'Landscaping',
  'Other',
] as const

export default function BecomeTaskerPage() {
  const { t } = useTranslation()
  const { status } = useSession()
  return (
    <div className="-mb-16">
      <section className="relative">
        <Scene fit="strip" />
        <div className="measure relative grid items-start gap-x-16 gap-y-10 pt-10 pb-44 sm:pt-16 sm:pb-48 lg:grid-cols-[1fr_22rem]">
          <div>
            <h1 className="max-w-2xl text-[2.75rem] leading-[1.02] sm:text-7xl">{t('pages.become.title')}</h1>
            <p className="mt-5 max-w-xl text-lg font-medium text-ink sm:text-xl">{t('pages.become.lead')}</p>
            <div className="mt-8 flex flex-wrap gap-3 max-sm:flex-col">
              <Join label={t('pages.become.action')} explained />
              <Button asChild size="lg" variant="secondary">
                <Link to={paths.howItWorks}>{t('pages.become.how')}</Link>
              </Button>
            </div>
          </div>
          <Figures />
        </div>
      </section>
      <Section title={t('pages.become.benefits.title')} className="border-y border-line bg-surface">
        <dl className="grid gap-x-12 gap-y-9 sm:grid-cols-2 lg:grid-cols-6">
          {benefits.map(({ key, icon: Icon }, index) => (
            <div
              key={key}
              className={`border-t border-line-strong/60 pt-5 ${index < 2 ? 'lg:col-span-3' : 'lg:col-span-2'}`}
            >
              <dt className="flex items-center gap-3 text-lg font-bold">
                <Icon aria-hidden className="size-5 shrink-0 text-wheat-ink" />
                <span>{t(`pages.become.benefits.${key}.title`)}</span>
              </dt>
              <dd className="mt-2 max-w-md text-ink-soft">{t(`pages.become.benefits.${key}.body`)}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={t('pages.become.steps.title')}>
        <div className="grid gap-x-16 gap-y-14 lg:grid-cols-2">
          <Steps
            level={3}
            steps={STEPS.map((step) => ({
              title: t(`pages.become.steps.${step}.title`),
              body: t(`pages.become.steps.${step}.body`),
            }))}
          />
          <div>
            <h3 className="text-xl">{t('pages.become.services')}</h3>
            <ul className="mt-4 flex flex-wrap gap-2">
              {SERVICES.map((service) => (
                <li
                  key={service}
                  className="flex h-10 items-center gap-2 rounded-full bg-sunken ps-3 pe-4 text-sm font-semibold"
                >
                  <CategoryIcon category={service} className="size-4 text-wheat-ink" />
                  <span>{categoryText(t, service)}</span>
                </li>
              ))}
            </ul>
          </div>
        </div>
      </Section>
      <CallToAction
        title={t('pages.become.cta.title')}
        body={status === 'signedIn' ? undefined : t('pages.become.cta.body')}
      >
        <Join label={t('pages.become.cta.action')} className={CTA_PRIMARY_CLASSES} />
      </CallToAction>
    </div>
  )
}

/** Signing up for strangers; for givers the tasker side in one tap, for taskers what comes next. */
function Join({ label, className, explained }: { label: string; className?: string; explained?: boolean }) {
  const { t } = useTranslation()
  const { status } = useSession()
  const roles = useRoles()
  const adding = useAddRole({ leads: true })
  if (status === 'signedIn' && roles?.active === 'task_giver' && !roles.held.includes('task_doer')) {
    return (
      <div className="flex max-w-sm flex-col gap-2">
        <Button
          size="lg"
          className={className}
          loading={adding.isPending}
          onClick={() => adding.mutate('task_doer')}
        >
          {t('layout.side.add.task_doer')}
        </Button>
        {explained && <p>{t('layout.side.addHint.task_doer')}</p>}
      </div>
    )
  }
  return (
    <Button asChild size="lg" className={className}>
      {status !== 'signedIn' ? (
        <Link {...signUpLink}>{label}</Link>
      ) : roles?.active === 'task_doer' ? (
        <Link to={paths.browse}>{t('pages.become.browse')}</Link>
      ) : (
        <Link to={paths.dashboard}>{t('layout.nav.dashboard')}</Link>
      )}
    </Button>
  )
}

/** Earnings, number and rating of taskers; nothing if no figure is known. */
function Figures() {
  const { t } = useTranslation()
  const { monthlyEarnings, activeTaskers, rating } = useMarketingFigures()
  if ((monthlyEarnings ?? activeTaskers ?? rating) === null) return null
  return (
    <dl className="grid grid-cols-3 gap-x-4 rounded-lg bg-surface p-5 shadow-float lg:block lg:divide-y lg:divide-line lg:py-1">
      {monthlyEarnings && <Claim figure={monthlyEarnings} label={t('pages.become.stats.earnings')} />}
      {activeTaskers && <Claim figure={activeTaskers} label={t('pages.become.stats.taskers')} />}
      {rating && <Claim figure={rating} label={t('pages.become.stats.rating')} />}
    </dl>
  )
}

function Claim({ figure, label }: { figure: string; label: string }) {
  return (
    <div className="flex flex-col-reverse justify-end lg:py-4">
      <dt className="text-sm text-ink-soft sm:text-base">{label}</dt>
      <dd className="tabular font-display text-xl font-bold tracking-tight sm:text-3xl">{figure}</dd>
    </div>
  )
}
