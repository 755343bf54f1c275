// Choosing a place: what is typed finds places by name, sound or postal code, each a button below the field.
import { useQuery } from '@tanstack/react-query'
import { MapPin } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../lib/errorText.ts'
import { municipalityKind, type Place, placeLabel, placesQuery } from '../lib/queries/places.ts'
import { useDebounced } from '../lib/useDebounced.ts'
import { Field, FieldError } from './form/Field.tsx'
import { Input } from './Input.tsx'
import { isEnter } from './keys.ts'

const TYPING_DELAY_MS = 200

type PlaceChoiceProps = { label: string; onChoose: (place: Place) => void }

/** `<PlaceChoice label={…} onChoose={(place) => …} />`; Enter chooses the first place found. */
export function PlaceChoice({ label, onChoose }: PlaceChoiceProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const term = useDebounced(typed.trim(), TYPING_DELAY_MS)
  const search = useQuery(placesQuery(term, false))
  const found = term === '' ? [] : (search.data ?? [])
  const choose = (place: Place) => {
    setTyped('')
    onChoose(place)
  }
  return (
    <div className="flex flex-col gap-2">
      <Field label={label} hint={t('near.placeHint')}>
        <Input
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          maxLength={100}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (!isEnter(event)) return
            // The form around it is not what is being sent.
            event.preventDefault()
            if (found[0] && term === typed.trim()) choose(found[0])
          }}
        />
      </Field>
      <p role="status" className={found.length > 0 ? 'sr-only' : 'text-sm text-ink-soft'}>
        {search.isSuccess && term !== '' && t('near.found', { count: found.length })}
      </p>
      {search.isError && <FieldError>{errorText(search.error)}</FieldError>}
      <ul className="-mt-2 flex flex-col">
        {found.map((place) => (
          <li key={place.id}>
            <button
              type="button"
              onClick={() => choose(place)}
              className="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-sunken"
            >
              <MapPin aria-hidden className="size-4 shrink-0 text-ink-faint" />
              <span className="min-w-0">
                <bdi className="block font-medium">{placeLabel(place)}</bdi>
                <span className="block text-sm text-ink-soft">
                  {t(`near.kind.${municipalityKind(place) ?? 'neighbourhood'}`)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
