// /categories: sixteen tiles, each to the tasks of its kind (spec 000 §2), with how many are open now.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { type TaskKindName, taskKinds } from '../../../shared/taskKinds.ts'
import type { TextKey } from '../../i18n/index.ts'
import { categoryText } from '../../lib/categoryText.ts'
import { formatNumber } from '../../lib/format.ts'
import { browsePath, paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { CategoryIcon } from '../../ui/CategoryIcon.tsx'
import { Page } from '../../ui/Page.tsx'
import { ScenicHeader } from '../../ui/ScenicHeader.tsx'
import { kindCountsQuery } from './api/queries.ts'

const descriptions: Record<TaskKindName, TextKey> = {
  'Snow Removal': 'pages.categories.about.snowRemoval',
  Cleaning: 'pages.categories.about.cleaning',
  'Moving & Delivery': 'pages.categories.about.moving',
  Assembly: 'pages.categories.about.assembly',
  'Mounting & Installation': 'pages.categories.about.mounting',
  'Outdoor Help': 'pages.categories.about.outdoor',
  'Home Repairs': 'pages.categories.about.repairs',
  Painting: 'pages.categories.about.painting',
  'Pet Care': 'pages.categories.about.petCare',
  'Auto Services': 'pages.categories.about.auto',
  'Tech Support': 'pages.categories.about.tech',
  'Shopping & Errands': 'pages.categories.about.errands',
  'Meal Prep': 'pages.categories.about.meals',
  Tutoring: 'pages.categories.about.tutoring',
  Photography: 'pages.categories.about.photography',
  'General Labor': 'pages.categories.about.labor',
}

export default function CategoriesPage() {
  const { t } = useTranslation()
  // Sixteen tiles drawn again are no reason to keep a finger waiting.
  const counts = useDeferredValue(useQuery(kindCountsQuery).data)
  return (
    <>
      <ScenicHeader
        title={t('pages.categories.title')}
        subtitle={t('pages.categories.lead')}
        actions={
          <Button asChild>
            <Link to={paths.postTask}>{t('pages.categories.post')}</Link>
          </Button>
        }
      />
      <Page>
        <ul className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
          {taskKinds.map(({ name: title }) => (
            <li key={title}>
              <Link
                to={browsePath({ category: title })}
                // On a phone one line with its description below, sixteen of which are few screens.
                className="grid h-full grid-cols-[auto_minmax(min-content,1fr)_auto] content-start items-center gap-x-3 bg-surface px-4 py-3 transition-colors hover:bg-wheat-soft focus-visible:outline-offset-[-4px] sm:grid-cols-[auto_minmax(0,1fr)] sm:p-5"
              >
                <CategoryIcon category={title} className="size-6 text-wheat-ink sm:size-7" />
                {counts && (
                  <span className="tabular justify-self-end text-end text-sm text-ink-faint max-sm:col-start-3 max-sm:row-start-1">
                    <OpenTasks count={counts.get(title) ?? 0} />
                  </span>
                )}
                <span className="font-display text-lg leading-tight font-bold break-words max-sm:col-start-2 max-sm:row-start-1 sm:col-span-2 sm:row-start-2 sm:mt-4">
                  {categoryText(t, title)}
                </span>
                <span className="mt-0.5 text-ink-soft max-sm:col-span-2 max-sm:col-start-2 max-sm:text-sm sm:col-span-2 sm:mt-1.5">
                  {t(descriptions[title])}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </Page>
    </>
  )
}

function OpenTasks({ count }: { count: number }) {
  const { t } = useTranslation()
  return (
    <span>
      {count === 0
        ? t('pages.categories.none')
        : t('pages.categories.count', { count, shown: formatNumber(count) })}
    </span>
  )
}
