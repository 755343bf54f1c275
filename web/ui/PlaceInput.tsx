// A text field for a place, with suggestions below it (the ARIA pattern of a combobox with a list). The text stays free:
// only a click or Enter on a suggestion changes it, and without a connection it is a plain text field. With `onlyPlaces`, it
// chooses a place instead: the first suggestion is marked, so Enter chooses it, and the field is empty afterwards.
// Suggestions that arrive after the field was left do not open. Downshift would move the focus back to the field, away from
// where the person types by then: it moves the focus for each list that opens, and closes only a list that is shown.
import { useQuery } from '@tanstack/react-query'
import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from 'downshift'
import { Popover } from 'radix-ui'
import { type ComponentProps, useRef, useState } from 'react'
import { errorText } from '../lib/errorText.ts'
import { PLACE_TERM_MIN_LENGTH, type Place, placeLabel, placesQuery } from '../lib/queries/places.ts'
import { useDebounced } from '../lib/useDebounced.ts'
import { useOnline } from '../lib/useOnline.ts'
import { FieldError, useField } from './form/Field.tsx'
import { Input } from './Input.tsx'
import { isEnter } from './keys.ts'
import { PlaceSuggestions } from './PlaceSuggestions.tsx'

const TYPING_DELAY_MS = 200
const NONE: Place[] = []

type PlaceInputProps = Pick<
  ComponentProps<'input'>,
  'autoComplete' | 'autoFocus' | 'className' | 'defaultValue' | 'onBlur' | 'placeholder'
> & {
  /** Suggests cities and towns, but no neighbourhoods. */
  onlyMunicipalities?: boolean
  /** Called on Enter with no suggestion marked. */
  onEnter?: () => void
  /** Takes no free text. */
  onlyPlaces?: boolean
  onChoose?: (place: Place) => void
}

/** `<form.Field name="location" label={…}><PlaceInput placeholder={…} /></form.Field>`, or `<PlaceInput onlyPlaces onChoose={…} />` */
export function PlaceInput({
  onlyMunicipalities = false,
  onlyPlaces = false,
  autoComplete = 'off',
  onChoose,
  onBlur,
  onEnter,
  ...rest
}: PlaceInputProps) {
  const field = useField()
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const { setText, places, isCurrent, error } = useSuggestions(onlyMunicipalities)
  const choose = (place: Place) => {
    const target = input.current
    if (!target) return
    target.value = onlyPlaces ? '' : placeLabel(place)
    void field.onChange?.({ target, type: 'change' })
    setText(target.value)
    onChoose?.(place)
  }
  const combobox = useCombobox<Place>({
    ...(field.id && { inputId: field.id }),
    items: places,
    defaultHighlightedIndex: onlyPlaces ? 0 : -1,
    itemToString: (place) => (place ? placeLabel(place) : ''),
    // The form has the text; a suggestion only writes it.
    selectedItem: null,
    isOpen: open && places.length > 0,
    onIsOpenChange: ({ isOpen }) => setOpen(isOpen),
    onSelectedItemChange: ({ selectedItem }) => selectedItem && choose(selectedItem),
    stateReducer: onlyChosenByHand,
  })
  const { value: _, ...inputProps } = combobox.getInputProps({
    ...field,
    'aria-labelledby': undefined,
    ref: (element: HTMLInputElement | null) => {
      input.current = element
      field.ref?.(element)
    },
    onFocus: (event) => setText(event.currentTarget.value),
    onChange: (event) => {
      setText(event.currentTarget.value)
      void field.onChange?.(event)
    },
    onBlur: (event) => {
      if (!combobox.isOpen) setOpen(false)
      void field.onBlur?.(event)
      onBlur?.(event)
    },
    onKeyDown: (event) => {
      if (!isEnter(event)) return
      if (onlyPlaces) {
        // The form around it is not what is being sent, and the marked place is perhaps one for fewer letters.
        event.preventDefault()
        if (!isCurrent) Object.assign(event.nativeEvent, { preventDownshiftDefault: true })
        return
      }
      // With no suggestion marked, downshift would only close the list: Enter belongs to the form then.
      if (combobox.highlightedIndex !== -1) return
      setOpen(false)
      Object.assign(event.nativeEvent, { preventDownshiftDefault: true })
      onEnter?.()
    },
  })
  return (
    <Popover.Root open={combobox.isOpen} onOpenChange={setOpen}>
      <Popover.Anchor asChild>
        <Input {...rest} {...inputProps} autoComplete={autoComplete} />
      </Popover.Anchor>
      <PlaceSuggestions
        combobox={combobox}
        places={places}
        input={input}
        isNoneFound={onlyPlaces && isCurrent && !error && places.length === 0}
      />
      {onlyPlaces && error && <FieldError>{errorText(error)}</FieldError>}
    </Popover.Root>
  )
}

/** Places for the text that `setText` sets, once the typing pauses; none without a connection. Until then, `isCurrent` is false. */
function useSuggestions(onlyMunicipalities: boolean) {
  const [text, setText] = useState('')
  const term = text.trim()
  const asked = useDebounced(term, TYPING_DELAY_MS)
  const { data, error, isFetching } = useQuery(placesQuery(asked, onlyMunicipalities))
  const online = useOnline()
  const isAsked = term.length >= PLACE_TERM_MIN_LENGTH
  return {
    setText,
    places: (online && isAsked && data) || NONE,
    isCurrent: isAsked && term === asked && !isFetching,
    error: isAsked ? error : null,
  }
}

/** Leaving the field chooses nothing, a click into it changes nothing, and Escape keeps the text. */
function onlyChosenByHand(
  state: UseComboboxState<Place>,
  { type, changes }: UseComboboxStateChangeOptions<Place>,
) {
  const { InputBlur, InputClick, InputKeyDownEscape } = useCombobox.stateChangeTypes
  if (type === InputClick) return state
  if (type === InputBlur || type === InputKeyDownEscape)
    return { ...state, isOpen: false, highlightedIndex: -1 }
  return changes
}
