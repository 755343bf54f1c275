// Any address we do not know (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Horizon } from '../../ui/horizon/Horizon.tsx'

export default function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <section className="relative -mb-16 min-h-[calc(100dvh-4rem)]">
      <Horizon />
      <div className="measure relative pt-12 pb-[max(19rem,20vw)] sm:pt-20">
        <p className="tabular font-display text-lg font-bold">404</p>
        <h1 className="mt-2 max-w-2xl text-4xl sm:text-6xl">{t('pages.notFound.title')}</h1>
        <p className="mt-4 max-w-md text-lg font-medium">{t('pages.notFound.body')}</p>
        <Button asChild size="lg" className="mt-8">
          <Link to={paths.landing}>{t('pages.notFound.home')}</Link>
        </Button>
      </div>
    </section>
  )
}
