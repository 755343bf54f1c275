// The city of the filters, applied by choosing a suggestion, by Enter and by leaving the field. Until the suggestions are
// loaded, which are no part of the first load, it is a plain text field.
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { isEnter } from '../../../ui/keys.ts'
import type { PlaceInput } from '../../../ui/PlaceInput.tsx'

type CityFilterProps = { city: string; onChange: (city: string) => void }
type Loaded = { PlaceInput: typeof PlaceInput; typed: string; hadFocus: boolean }

const settled = async () => {}

export function CityFilter({ city, onChange }: CityFilterProps) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  useEffect(() => {
    // Without a connection it stays a plain field.
    void import('../../../ui/PlaceInput.tsx').then(
      ({ PlaceInput }) => {
        const plain = input.current
        if (plain) setLoaded({ PlaceInput, typed: plain.value, hadFocus: plain === document.activeElement })
      },
      () => {},
    )
  }, [])
  useEffect(() => {
    if (input.current) input.current.value = city
  }, [city])
  const keepInput = (element: HTMLInputElement | null) => {
    input.current = element
  }
  const apply = () => {
    const typed = input.current?.value.trim() ?? ''
    if (typed !== city) onChange(typed)
  }
  const shared = {
    className: 'max-sm:w-auto max-sm:max-w-44 max-sm:[field-sizing:content]',
    placeholder: t('taskers.anyCity'),
    onBlur: apply,
  }
  return (
    <Field
      label={t('taskers.city')}
      registration={{
        name: 'city',
        ref: keepInput,
        onChange: settled,
        onBlur: settled,
      }}
      className="max-sm:relative max-sm:w-auto max-sm:shrink-0"
    >
      {loaded ? (
        <loaded.PlaceInput
          {...shared}
          onlyMunicipalities
          autoFocus={loaded.hadFocus}
          defaultValue={loaded.typed}
          onEnter={apply}
          onChoose={apply}
        />
      ) : (
        <Input {...shared} defaultValue={city} onKeyDown={(event) => isEnter(event) && apply()} />
      )}
    </Field>
  )
}
