// The first screen: what this is, a search, eight shortcuts, under a very big sky.
import { ClipboardPen, Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { categoryText } from '../../../lib/categoryText.ts'
import { browsePath, paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { Horizon } from '../../../ui/horizon/Horizon.tsx'
import { InstallButton } from '../../../ui/InstallButton.tsx'
import { SHORTCUTS } from '../content.ts'
import { SearchBox } from './SearchBox.tsx'

/** Two in a row on a phone, each in one line. */
const SECOND_CLASSES = 'gap-1.5 px-2 max-sm:text-base sm:gap-2 sm:px-6'

export function Hero() {
  const { t } = useTranslation()
  return (
    <section
      aria-labelledby="hero-title"
      className="relative flex min-h-[min(52rem,calc(100dvh-4rem))] flex-col"
    >
      <Horizon />
      <div className="measure relative flex-1 pt-6 pb-52 sm:pt-12 sm:pb-72 lg:pb-[calc(16.25vw+1.5rem)]">
        <h1 id="hero-title" className="max-w-2xl text-[min(2.75rem,11.2vw)] leading-[1.02] sm:text-7xl">
          {t('landing.hero.title')}
        </h1>
        <p className="mt-3 max-w-2xl font-medium text-ink sm:mt-5 sm:text-xl">{t('landing.hero.lead')}</p>
        <div className="mt-4 sm:mt-6">
          <SearchBox />
        </div>
        <nav aria-label={t('landing.hero.categories')} className="mt-4 sm:mt-5">
          {/* On a phone one row that scrolls, to both edges of the screen. */}
          <ul className="-mx-4 flex gap-2 overflow-x-auto px-4 py-1 [scrollbar-width:none] sm:mx-0 sm:flex-wrap sm:overflow-visible sm:p-0">
            {SHORTCUTS.map((category) => (
              <li key={category} className="shrink-0">
                <Link
                  to={browsePath({ category })}
                  className="flex h-10 items-center gap-2 rounded-full border border-line bg-surface ps-3 pe-4 text-sm font-semibold transition-colors hover:border-line-strong hover:bg-wheat-soft focus-visible:rounded-full"
                >
                  <CategoryIcon category={category} className="size-4 text-wheat-ink" />
                  <span>{categoryText(t, category)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="mt-4 grid grid-cols-2 gap-3 sm:mt-7 sm:flex sm:flex-wrap">
          <Button asChild size="lg" className="col-span-2">
            <Link to={paths.postTask}>
              <ClipboardPen aria-hidden />
              <span>{t('landing.hero.post')}</span>
            </Link>
          </Button>
          <Button asChild size="lg" variant="secondary" className={SECOND_CLASSES}>
            <Link to={paths.browse}>
              <Search aria-hidden />
              <span>{t('landing.hero.browse')}</span>
            </Link>
          </Button>
          <InstallButton showOnDesktop size="lg" variant="secondary" className={SECOND_CLASSES} />
        </div>
      </div>
    </section>
  )
}
