// The last word, in the colours of the bird's breast: yellow with the black V.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'

export function CallToAction() {
  const { t } = useTranslation()
  return (
    <section aria-labelledby="cta-title" className="relative overflow-hidden bg-[#f4bc30] text-on-wheat">
      <svg
        viewBox="0 0 600 400"
        preserveAspectRatio="xMidYMid slice"
        aria-hidden="true"
        className="absolute inset-y-0 end-0 hidden h-full w-1/2 lg:block"
      >
        <path fill="#1a2130" d="M40-140Q170 100 330 190 480 90 680-160V80Q500 260 338 350 110 230-150-150Z" />
      </svg>
      <div className="measure relative py-16 sm:py-24">
        <h2 id="cta-title" className="max-w-xl text-4xl sm:text-5xl">
          {t('landing.cta.title')}
        </h2>
        <p className="mt-4 max-w-md text-lg font-medium">{t('landing.cta.body')}</p>
        <div className="mt-8 flex flex-wrap gap-3">
          <Button asChild size="lg" className="bg-[#1a2130] text-[#fbf7ee] hover:bg-[#2b3448]">
            <Link to={paths.auth}>{t('landing.cta.signUp')}</Link>
          </Button>
          <Button
            asChild
            size="lg"
            variant="secondary"
            className="border-on-wheat bg-transparent text-on-wheat hover:bg-[#e6a915]"
          >
            <Link to={paths.browse}>{t('landing.cta.explore')}</Link>
          </Button>
        </div>
      </div>
    </section>
  )
}
