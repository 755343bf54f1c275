// The landing page (spec 000 §2): what Meadowlark is, for people who need a hand and people who lend one.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths, signUpLink } from '../../lib/paths.ts'
import { useRole, useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { CallToAction, CTA_PRIMARY_CLASSES, CTA_SECONDARY_CLASSES } from '../../ui/CallToAction.tsx'
import { Features } from './components/Features.tsx'
import { Hero } from './components/Hero.tsx'
import { HowItWorks } from './components/HowItWorks.tsx'
import { PopularCategories } from './components/PopularCategories.tsx'
import { Safety } from './components/Safety.tsx'
import { WhyChoose } from './components/WhyChoose.tsx'

export default function LandingPage() {
  const { t } = useTranslation()
  const { status } = useSession()
  const tasker = useRole() === 'task_doer'
  return (
    <div className="-mb-16">
      <Hero />
      <PopularCategories />
      <HowItWorks />
      <Features />
      <Safety />
      <WhyChoose />
      <CallToAction title={t('landing.cta.title')} body={t('landing.cta.body')}>
        <Button asChild size="lg" className={CTA_PRIMARY_CLASSES}>
          {status !== 'signedIn' ? (
            <Link {...signUpLink}>{t('landing.cta.signUp')}</Link>
          ) : tasker ? (
            <Link to={paths.dashboard}>{t('layout.nav.dashboard')}</Link>
          ) : (
            <Link to={paths.postTask}>{t('landing.hero.post')}</Link>
          )}
        </Button>
        <Button asChild size="lg" variant="secondary" className={CTA_SECONDARY_CLASSES}>
          <Link to={paths.browse}>{t('landing.cta.explore')}</Link>
        </Button>
      </CallToAction>
    </div>
  )
}
