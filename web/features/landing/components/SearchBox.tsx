// The hero's search: suggests matching categories first, then open tasks; Enter searches all tasks.
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { type KeyboardEvent, type SubmitEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { categoryText } from '../../../lib/categoryText.ts'
import { browsePath, taskPath } from '../../../lib/paths.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { Button } from '../../../ui/Button.tsx'
import { SEARCH_MIN_LENGTH, taskSearchQuery } from '../api/queries.ts'
import { shortcuts } from '../content.ts'
import { type Suggestion, Suggestions } from './Suggestions.tsx'

const TYPING_DELAY_MS = 300

export function SearchBox() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)

  const term = text.trim()
  const search = useQuery(taskSearchQuery(useDebounced(term, TYPING_DELAY_MS)))
  const suggestions: Suggestion[] = [
    ...shortcuts
      .map((category) => ({
        kind: 'category' as const,
        to: browsePath({ category }),
        category,
        label: categoryText(t, category),
      }))
      .filter(({ label }) => label.toLocaleLowerCase().includes(term.toLocaleLowerCase())),
    ...(search.data ?? []).map((task) => ({ kind: 'task' as const, to: taskPath(task.id), task })),
  ]
  const shown = open && term.length >= SEARCH_MIN_LENGTH
  const searching = search.isFetching || search.isPending

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const chosen = shown ? suggestions[active] : undefined
    void navigate(chosen?.to ?? browsePath({ search: term }))
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (!shown || suggestions.length === 0) return
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    setActive((active + step + suggestions.length + (active < 0 && step < 0 ? 1 : 0)) % suggestions.length)
  }

  return (
    <search className="relative block max-w-xl">
      <form
        onSubmit={submit}
        onBlur={(event) => {
          if (!event.currentTarget.parentElement?.contains(event.relatedTarget)) setOpen(false)
        }}
        className="flex items-center gap-2 rounded-lg border border-line-strong bg-surface p-1.5 ps-4 shadow-float focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-sky"
      >
        <Search aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <input
          type="text"
          role="combobox"
          aria-label={t('landing.search.label')}
          aria-expanded={shown}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={shown && active >= 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          value={text}
          placeholder={t('landing.search.placeholder')}
          onFocus={() => setOpen(true)}
          onChange={(event) => {
            setText(event.target.value)
            setActive(-1)
            setOpen(true)
          }}
          onKeyDown={move}
          className="h-11 min-w-0 flex-1 bg-transparent text-ink placeholder:text-ink-faint focus:outline-none"
        />
        <Button type="submit" variant="secondary">
          {t('landing.search.submit')}
        </Button>
      </form>
      <Suggestions
        id={listId}
        shown={shown}
        searching={searching}
        suggestions={suggestions}
        active={active}
        onHover={setActive}
        onChoose={(to) => void navigate(to)}
      />
    </search>
  )
}
