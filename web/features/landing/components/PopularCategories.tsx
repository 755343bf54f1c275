// Four kinds of work that people here post most.
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { browsePath, paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Section } from '../../../ui/Section.tsx'
import { popular } from '../content.ts'
import { Scene } from './Scene.tsx'

export function PopularCategories() {
  const { t } = useTranslation()
  return (
    <Section
      title={t('landing.popular.title')}
      lead={t('landing.popular.lead')}
      action={
        <Button asChild variant="link">
          <Link to={paths.categories}>
            <span>{t('landing.popular.all')}</span>
            <ArrowRight aria-hidden className="rtl:-scale-x-100" />
          </Link>
        </Button>
      }
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {popular.map(({ category, key }) => (
          <li key={category}>
            <Link
              to={browsePath({ category })}
              className="group flex h-full flex-col overflow-hidden rounded-lg border border-line bg-surface transition-colors hover:border-line-strong"
            >
              <Scene name={key} />
              <span className="flex flex-1 flex-col p-5">
                <span className="flex items-center justify-between font-display text-xl font-bold">
                  <span>{t(`landing.popular.${key}.title`)}</span>
                  <ArrowRight
                    aria-hidden
                    className="size-5 text-ink-faint transition-transform group-hover:translate-x-1 rtl:-scale-x-100 rtl:group-hover:-translate-x-1"
                  />
                </span>
                <span className="mt-2 text-ink-soft">{t(`landing.popular.${key}.body`)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
