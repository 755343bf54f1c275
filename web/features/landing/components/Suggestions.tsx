// The list under the landing's search box. The input keeps the focus; the active row is marked by aria-activedescendant.
import type { UseComboboxReturnValue } from 'downshift'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { PriceFigure } from '../../../ui/PriceSplit.tsx'
import type { FoundTask } from '../api/queries.ts'

export type Suggestion =
  | { kind: 'category'; to: string; category: string; label: string }
  | { kind: 'task'; to: string; task: FoundTask }
  | { kind: 'post'; to: string; title: string }

type SuggestionsProps = {
  combobox: UseComboboxReturnValue<Suggestion>
  searching: boolean
  suggestions: Suggestion[]
}

export function Suggestions({ combobox, searching, suggestions }: SuggestionsProps) {
  const { t } = useTranslation()
  const { isOpen, highlightedIndex } = combobox
  const found = suggestions.filter(({ kind }) => kind !== 'post').length
  const nothing = isOpen && !searching && found === 0
  return (
    <>
      <div
        className={classes(
          'absolute inset-x-0 top-full z-20 mt-2 overflow-hidden rounded-lg border border-line bg-surface shadow-float',
          !(isOpen && (nothing || suggestions.length > 0)) && 'hidden',
        )}
      >
        {nothing && (
          <p aria-hidden className="px-4.5 pt-3 text-ink-soft">
            {t('landing.search.none')}
          </p>
        )}
        <div {...combobox.getMenuProps({ 'aria-label': t('landing.search.suggestions') })} className="p-1.5">
          {isOpen &&
            suggestions.map((item, index) => (
              <div
                key={item.to}
                {...combobox.getItemProps({ item, index })}
                className={classes(
                  'flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-3 py-2',
                  index === highlightedIndex && 'bg-sunken outline-1 -outline-offset-1 outline-line-strong',
                )}
              >
                <Row suggestion={item} />
              </div>
            ))}
        </div>
      </div>
      <p role="status" className="sr-only">
        {nothing
          ? t('landing.search.none')
          : isOpen && found > 0
            ? t('landing.search.found', { count: found })
            : ''}
      </p>
    </>
  )
}

function Row({ suggestion }: { suggestion: Suggestion }) {
  const { t } = useTranslation()
  if (suggestion.kind === 'category') {
    return (
      <>
        <CategoryIcon category={suggestion.category} className="text-wheat-ink" />
        <span className="flex-1 font-semibold">{suggestion.label}</span>
        <span className="text-sm text-ink-faint">{t('landing.search.category')}</span>
      </>
    )
  }
  if (suggestion.kind === 'post') {
    return (
      <>
        <Plus aria-hidden className="size-5 shrink-0 text-wheat-ink" />
        <span className="min-w-0 flex-1 truncate font-semibold">
          {t('landing.search.post', { title: suggestion.title })}
        </span>
      </>
    )
  }
  const { task } = suggestion
  return (
    <>
      <CategoryIcon category={task.category} className="text-ink-faint" />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="cut-words block truncate">
          {task.title}
        </span>
        <span dir="auto" className="cut-words block truncate text-sm text-ink-faint">
          {task.location}
        </span>
      </span>
      <PriceFigure
        price={priceOf(task.pay_amount)}
        reader="other"
        size="stacked"
        className="shrink-0 text-end"
      />
    </>
  )
}
