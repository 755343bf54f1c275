// Quick filters of the list of tasks: words, a category, an order. The address holds all of them.
import { ArrowUpDown, Search, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigation } from 'react-router'
import { categories } from '../../../../shared/categories.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { useOptimisticChoice } from '../../../lib/useOptimisticChoice.ts'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useScrollSelectedIntoView } from '../../../ui/useScrollSelectedIntoView.ts'
import type { Sort } from '../browsing.ts'

const TYPING_DELAY_MS = 300

/** The search box; calls `onSearch` 300 ms after the last key, at once on Enter and when cleared. */
export function SearchBox({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(search)
  const [searched, setSearched] = useState(search)
  // The address changed by itself (back, forward, a link): the box follows it.
  if (search !== searched) {
    setSearched(search)
    setTyped(search)
  }

  // The clock may end after the address has changed otherwise: then the newest onSearch knows it.
  const newest = useRef(onSearch)
  useEffect(() => {
    newest.current = onSearch
  })
  const submitSearch = (next: string) => {
    setSearched(next.trim())
    newest.current(next.trim())
  }
  // A link was followed while the clock ran: the search must not call the person back.
  const leaving = useNavigation().state !== 'idle'
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the clock
  useEffect(() => {
    if (typed.trim() === searched || leaving) return
    const timer = setTimeout(() => submitSearch(typed), TYPING_DELAY_MS)
    // A busy browser renders `leaving` late; the click itself is known at once.
    const onClick = (event: MouseEvent) => {
      const staysHere = event.ctrlKey || event.metaKey || event.shiftKey
      if (!staysHere && (event.target as Element).closest('a[href]')) clearTimeout(timer)
    }
    document.addEventListener('click', onClick, true)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', onClick, true)
    }
  }, [typed, leaving])

  return (
    <search className="relative block min-w-0 flex-1">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submitSearch(typed)
        }}
      >
        <Search
          aria-hidden
          className="pointer-events-none absolute start-3.5 top-1/2 size-5 -translate-y-1/2 text-ink-faint max-sm:start-2.5"
        />
        <Input
          type="search"
          enterKeyHint="search"
          maxLength={200}
          aria-label={t('tasks.searchLabel')}
          placeholder={t('tasks.searchPlaceholder')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={classes(
            'h-13 ps-11 pe-12 text-lg max-sm:h-11 max-sm:ps-9 max-sm:text-base [&::-webkit-search-cancel-button]:hidden',
            // Without a button to clear it, the example needs the room.
            !typed && 'max-sm:pe-1',
          )}
        />
        {typed && (
          <button
            type="button"
            aria-label={t('tasks.clearSearch')}
            onClick={() => {
              setTyped('')
              submitSearch('')
            }}
            className="absolute end-1 top-1/2 grid size-11 max-sm:end-0 -translate-y-1/2 place-items-center rounded-md text-ink-soft hover:text-ink"
          >
            <X aria-hidden className="size-5" />
          </button>
        )}
      </form>
    </search>
  )
}

/** One of the eight categories, or all; a category that came with a link and is none of them is shown too. */
export function CategoryChoice({
  category,
  onChoose,
}: {
  category: string
  onChoose: (category: string) => void
}) {
  const { t } = useTranslation()
  const name = useId()
  const [chosen, setChosen] = useOptimisticChoice(category)
  const other = category !== '' && !categories.some((known) => known === category)
  const offered = ['', ...categories, ...(other ? [category] : [])]
  const row = useScrollSelectedIntoView<HTMLDivElement>('label:has(:checked)', chosen, 16)
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{t('tasks.category')}</legend>
      <div
        ref={row}
        className="-me-[clamp(1rem,4vw,2rem)] flex gap-1.5 overflow-x-auto px-0.5 py-1 pe-[clamp(1rem,4vw,2rem)] max-sm:py-0.5 [scrollbar-width:none] lg:me-0 lg:flex-wrap lg:px-0"
      >
        {offered.map((value) => (
          <label
            key={value}
            className={classes(
              'relative flex h-11 shrink-0 items-center gap-1.5 rounded-full max-sm:h-10 border border-line-strong/60 bg-surface px-3.5 text-[0.9375rem] font-medium whitespace-nowrap transition-colors hover:bg-sunken',
              'has-checked:border-ink has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sky',
            )}
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={chosen === value}
              onChange={() => {
                setChosen(value)
                onChoose(value)
              }}
              className="sr-only"
            />
            {value && <CategoryIcon category={value} className="size-4" />}
            <span>{value ? categoryText(t, value) : t('tasks.allCategories')}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export function SortChoice({
  sort,
  offered,
  onChoose,
}: {
  sort: Sort
  offered: readonly Sort[]
  onChoose: (sort: Sort) => void
}) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useOptimisticChoice(sort)
  return (
    // On a phone a sign of the size of a thumb, which opens the browser's own list.
    <div
      className={classes(
        'relative w-48 shrink-0 max-sm:grid max-sm:size-11 max-sm:place-items-center max-sm:rounded-md max-sm:border max-sm:border-line-strong max-sm:bg-surface',
        'max-sm:has-focus-visible:outline-[2.5px] max-sm:has-focus-visible:outline-sky',
        chosen !== offered[0] && 'max-sm:border-ink max-sm:bg-ink max-sm:text-paper',
      )}
    >
      <ArrowUpDown aria-hidden className="size-5 sm:hidden" />
      <Select
        aria-label={t('tasks.sortLabel')}
        value={chosen}
        onChange={(event) => {
          const next = event.target.value as Sort
          setChosen(next)
          onChoose(next)
        }}
        className="max-sm:absolute max-sm:inset-0 max-sm:opacity-0 sm:[&_select]:h-13"
      >
        {offered.map((value) => (
          <option key={value} value={value}>
            {t(`tasks.sort.${value}`)}
          </option>
        ))}
      </Select>
    </div>
  )
}
