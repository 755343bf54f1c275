// The hero's search: suggests matching categories first, then open tasks, and to post what was typed; Enter searches all tasks.
import { useQuery } from '@tanstack/react-query'
import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift'
import { Search } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { searchText } from '../../../../shared/searchText.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { browsePath, postTaskPath, taskPath } from '../../../lib/paths.ts'
import { useRole } from '../../../lib/session.tsx'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { Button } from '../../../ui/Button.tsx'
import { isEnter } from '../../../ui/keys.ts'
import { SEARCH_MIN_LENGTH, taskSearchQuery } from '../api/queries.ts'
import { SHORTCUTS } from '../content.ts'
import { type Suggestion, Suggestions } from './Suggestions.tsx'

const TYPING_DELAY_MS = 300

export function SearchBox() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const posts = useRole() !== 'task_doer'

  const term = text.trim()
  const search = useQuery(taskSearchQuery(useDebounced(term, TYPING_DELAY_MS)))
  const suggestions: Suggestion[] = [
    ...SHORTCUTS.map((category) => ({
      kind: 'category' as const,
      to: browsePath({ category }),
      category,
      label: categoryText(t, category),
    })).filter(({ label }) => searchText(label).includes(searchText(term))),
    ...(search.data ?? []).map((task) => ({ kind: 'task' as const, to: taskPath(task.id), task })),
    ...(posts ? [{ kind: 'post' as const, to: postTaskPath({ title: term }), title: term }] : []),
  ]
  const combobox = useCombobox<Suggestion>({
    items: suggestions,
    // A suggestion is a place to go: none stays chosen, and the text stays what was typed.
    selectedItem: null,
    inputValue: text,
    isOpen: open && term.length >= SEARCH_MIN_LENGTH,
    onIsOpenChange: ({ isOpen }) => setOpen(isOpen),
    onSelectedItemChange: ({ selectedItem }) => void (selectedItem && navigate(selectedItem.to)),
    stateReducer: onlyChosenByHand,
  })

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void navigate(browsePath({ search: term }))
  }

  return (
    <search className="relative block max-w-xl">
      <form
        onSubmit={submit}
        className="flex items-center gap-2 rounded-lg border border-line-strong bg-surface p-1.5 ps-4 shadow-float focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-sky"
      >
        <Search aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <input
          {...combobox.getInputProps({
            'aria-label': t('landing.search.label'),
            onChange: (event) => setText(event.currentTarget.value),
            onFocus: () => setOpen(true),
            // With no suggestion marked, downshift would only close the list: Enter belongs to the form then.
            onKeyDown: (event) => {
              if (isEnter(event) && combobox.highlightedIndex === -1)
                Object.assign(event.nativeEvent, { preventDownshiftDefault: true })
            },
          })}
          type="text"
          enterKeyHint="search"
          maxLength={200}
          placeholder={t('landing.search.placeholder')}
          className="h-11 min-w-0 flex-1 bg-transparent text-ink placeholder:text-ink-faint focus:outline-none"
        />
        <Button type="submit" variant="secondary">
          {t('landing.search.submit')}
        </Button>
      </form>
      <Suggestions
        combobox={combobox}
        searching={search.isFetching || search.isPending}
        suggestions={suggestions}
      />
    </search>
  )
}

/** Leaving the box chooses nothing, a click into it keeps the list open, and Escape keeps the text. */
function onlyChosenByHand(
  state: UseComboboxState<Suggestion>,
  { type, changes }: UseComboboxStateChangeOptions<Suggestion>,
) {
  const { InputBlur, InputClick, InputKeyDownEscape } = useCombobox.stateChangeTypes
  if (type === InputClick) return { ...changes, isOpen: true }
  if (type === InputBlur || type === InputKeyDownEscape)
    return { ...state, isOpen: false, highlightedIndex: -1 }
  return changes
}
