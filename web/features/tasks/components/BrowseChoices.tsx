// Everything on /browse that chooses tasks: words, filters, order, a point, the map or the list, and a category.
import { List, Map as MapIcon } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { lazyPart } from '../../../ui/lazyPart.ts'
import { type Browsing, type Filters, filtersOf, isSpecific, type Search, type Sort } from '../browsing.ts'
import type { Near } from '../useNear.ts'
import { CategoryChoice, SearchBox, SortChoice } from './BrowseFilters.tsx'
import { NearChoice } from './NearChoice.tsx'
import { TaskFilterChips, TaskFilters } from './TaskFilters.tsx'

const NearBar = lazyPart(() => import('./NearBar.tsx'))
const LostPoint = lazyPart(() => import('./LostPoint.tsx'))
const SaveSearch = lazyPart(() => import('./SaveSearch.tsx'))

/** Changes what is given; '' takes it out of the address. */
export type Narrow = (
  change: Partial<Record<keyof Browsing | 'view', string>>,
  options: { replace: boolean },
) => void

/** Without a point; the orders of lists near a point are others. */
export const NOWHERE = { near: '', km: '', sort: '' }

type BrowseChoicesProps = {
  browsing: Browsing
  near: Near['state']
  offered: readonly Sort[]
  narrow: Narrow
  /** The shown search, for people who can save it. */
  search: Search | null
  tasker: string | undefined
  hasMap: boolean
  onMap: () => void
}

export function BrowseChoices({
  browsing,
  near,
  offered,
  narrow,
  search,
  tasker,
  hasMap,
  onMap,
}: BrowseChoicesProps) {
  const { t } = useTranslation()
  const filters = filtersOf(browsing)
  const choose = (change: Parameters<Narrow>[0]) => narrow(change, { replace: false })
  const filter = (next: Filters) => choose({ ...next, ...(next.place && browsing.near && NOWHERE) })
  return (
    <div className="mb-5 flex flex-col gap-3 max-sm:mb-1.5 max-sm:gap-1">
      {/* On a wide screen the categories have the second row for themselves. */}
      <div className="grid grid-cols-[auto_auto_minmax(0,1fr)_auto_auto] gap-3 max-sm:gap-x-2 max-sm:gap-y-1 lg:grid-cols-[minmax(0,1fr)_auto_auto_auto_auto]">
        <div className="col-span-3 flex lg:col-span-1">
          <SearchBox search={browsing.search} onSearch={(search) => narrow({ search }, { replace: true })} />
        </div>
        <TaskFilters filters={filters} onChange={filter} />
        <SortChoice
          sort={browsing.sort}
          offered={offered}
          onChoose={(sort: Sort) => choose({ sort: sort === offered[0] ? '' : sort })}
        />
        <NearChoice
          isChosen={browsing.near !== ''}
          tasker={tasker}
          onChoose={(near, km) => choose({ ...NOWHERE, place: '', near, ...(km && { km: String(km) }) })}
        />
        <Button variant="secondary" className="max-lg:w-11 max-lg:px-0 lg:min-h-13" onClick={onMap}>
          {hasMap && <List aria-hidden className="xl:hidden" />}
          <MapIcon aria-hidden className={classes(hasMap && 'max-xl:hidden')} />
          <span className="max-lg:sr-only xl:hidden">{t(hasMap ? 'tasks.list' : 'tasks.map')}</span>
          <span className="max-xl:hidden">{t(hasMap ? 'tasks.hideMap' : 'tasks.showMap')}</span>
        </Button>
        <div className="min-w-0 max-lg:col-span-3 lg:col-span-5">
          <CategoryChoice category={browsing.category} onChoose={(category) => choose({ category })} />
        </div>
      </div>
      {near === 'lost' && (
        <Suspense>
          <LostPoint near={browsing.near} onClear={() => choose(NOWHERE)} />
        </Suspense>
      )}
      <Conditions
        browsing={near === 'lost' ? { ...browsing, near: '' } : browsing}
        search={search}
        onRadius={(km) => choose({ km: String(km) })}
        onAnywhere={() => choose(NOWHERE)}
        onFilter={filter}
        onSaved={(near) => narrow({ near }, { replace: true })}
      />
    </div>
  )
}

type ConditionsProps = {
  browsing: Browsing
  search: Search | null
  onRadius: (km: number) => void
  onAnywhere: () => void
  onFilter: (filters: Filters) => void
  onSaved: (near: string) => void
}

/** The point and the filters, and saving them. On a phone they are one row that scrolls sideways, and tasks stay in view. */
function Conditions({ browsing, search, onRadius, onAnywhere, onFilter, onSaved }: ConditionsProps) {
  const filters = filtersOf(browsing)
  const hasChips = browsing.near !== '' || Object.values(filters).some(Boolean)
  const canSave = search !== null && isSpecific(search)
  if (!hasChips && !canSave) return null
  return (
    <div className="flex items-center gap-2 sm:flex-wrap">
      {hasChips && (
        <div className="flex min-w-0 items-center gap-2 max-sm:-m-1 max-sm:flex-1 max-sm:overflow-x-auto max-sm:p-1 sm:flex-wrap max-sm:[&_li]:shrink-0 max-sm:[&_ul]:shrink-0 max-sm:[&_ul]:flex-nowrap">
          {browsing.near && (
            <Suspense fallback={<div className="h-9" />}>
              <NearBar browsing={browsing} onRadius={onRadius} onClear={onAnywhere} />
            </Suspense>
          )}
          <TaskFilterChips filters={filters} onChange={onFilter} />
        </div>
      )}
      {canSave && (
        <Suspense>
          <SaveSearch search={search} near={browsing.near} isShort={hasChips} onSaved={onSaved} />
        </Suspense>
      )}
    </div>
  )
}
