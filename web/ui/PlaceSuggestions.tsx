// The list below a PlaceInput. The input keeps the focus; aria-activedescendant names the marked row.
import type { UseComboboxReturnValue } from 'downshift'
import { MapPin } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { municipalityKind, type Place } from '../lib/queries/places.ts'
import { classes } from './classes.ts'

type PlaceSuggestionsProps = {
  combobox: UseComboboxReturnValue<Place>
  places: Place[]
  input: RefObject<HTMLInputElement | null>
  /** Shows that no place has been found. */
  isNoneFound: boolean
}

export function PlaceSuggestions({ combobox, places, input, isNoneFound }: PlaceSuggestionsProps) {
  const { t } = useTranslation()
  const { isOpen, highlightedIndex } = combobox
  return (
    <>
      {/* Inside of a dialog, which takes no touches outside of itself, or else of the page's landmark. */}
      <Popover.Portal container={input.current?.closest<HTMLElement>('[role=dialog], main')}>
        <Popover.Content
          role="presentation"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.target === input.current && event.preventDefault()}
          className="z-50 w-(--radix-popover-trigger-width) min-w-56 overflow-hidden rounded-md border border-line bg-surface shadow-float"
        >
          <ul
            {...combobox.getMenuProps(
              { 'aria-label': t('ui.places.suggestions') },
              { suppressRefError: true },
            )}
            className="max-h-[min(22rem,var(--radix-popover-content-available-height))] overflow-y-auto overscroll-contain p-1.5"
          >
            {places.map((place, index) => (
              <li
                key={place.id}
                {...combobox.getItemProps({ item: place, index })}
                className={classes(
                  'flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-3 py-1.5',
                  index === highlightedIndex && 'bg-sunken outline-1 -outline-offset-1 outline-line-strong',
                )}
              >
                <MapPin aria-hidden className="size-5 shrink-0 text-ink-faint" />
                <PlaceText place={place} />
              </li>
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
      <span role="status" className={isNoneFound ? 'text-sm text-ink-soft' : 'sr-only'}>
        {isOpen || isNoneFound ? t('ui.places.found', { count: places.length }) : ''}
      </span>
    </>
  )
}

function PlaceText({ place }: { place: Place }) {
  const { t } = useTranslation()
  const kind = municipalityKind(place)
  return (
    <span className="min-w-0 flex-1">
      <span className="block font-semibold">
        <bdi translate="no">{place.name}</bdi>
      </span>
      <span className="block text-sm text-ink-faint">
        {kind ? t(`ui.places.${kind}`) : t('ui.places.neighbourhood', { city: place.city })}
      </span>
    </span>
  )
}
