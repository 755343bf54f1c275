// The exact point of a task, from the device, from the map or typed. It is asked for only when the giver wants to mark it.
import { useQuery } from '@tanstack/react-query'
import { Map as MapIcon, MapPinPlus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import { pointFrom, pointText } from '../../../lib/points.ts'
import { namedPlaceQuery, type Place } from '../../../lib/queries/places.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { Button } from '../../../ui/Button.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { LocationButton } from '../../../ui/LocationButton.tsx'
import type { TaskForm } from '../schema.ts'
import { PointDialog } from './PointDialog.tsx'
import { useSpotText } from './spot.ts'

const TYPING_DELAY_MS = 400

export function PointInput() {
  const { t } = useTranslation()
  const { field, fieldState } = useController<TaskForm, 'point'>({ name: 'point' })
  const error = useErrorText()(fieldState.error)
  const [opened, setOpened] = useState(false)
  if (!opened && !field.value && !error)
    return (
      <Button variant="secondary" className="self-start" onClick={() => setOpened(true)}>
        <MapPinPlus aria-hidden />
        <span>{t('tasks.point.mark')}</span>
      </Button>
    )
  return <PointFields {...field} error={error} takesFocus={opened} />
}

type PointFieldsProps = {
  value: string
  onChange: (value: string) => void
  onBlur: () => void
  ref: (element: HTMLElement | null) => void
  error: string | undefined
  /** The button that had the focus is gone. */
  takesFocus: boolean
}

function PointFields({ value, onChange, onBlur, ref, error, takesFocus }: PointFieldsProps) {
  const { t } = useTranslation()
  const id = useId()
  const location = useDebounced(useWatch<TaskForm, 'location'>({ name: 'location' }).trim(), TYPING_DELAY_MS)
  const { data: place } = useQuery(namedPlaceQuery(location))
  const [onMap, setOnMap] = useState(false)
  const group = useRef<HTMLFieldSetElement>(null)
  const point = pointFrom(value)
  const mark = (to: Position) => onChange(pointText(to))
  return (
    <fieldset
      ref={(element) => {
        if (element && takesFocus && !group.current) element.focus()
        group.current = element
      }}
      tabIndex={-1}
      aria-describedby={`${id}-hint`}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4"
    >
      <legend className="px-1 font-semibold">
        <span>{t('tasks.point.label')}</span>
        <span className="ms-1.5 text-sm font-normal text-ink-faint">{t('ui.optional')}</span>
      </legend>
      <p id={`${id}-hint`} className="text-sm text-ink-faint">
        {t('tasks.point.hint')}
      </p>
      <div className="flex flex-wrap items-start gap-3">
        <LocationButton exact variant="secondary" size="sm" reason={t('tasks.point.reason')} onFound={mark} />
        <Button variant="secondary" size="sm" onClick={() => setOnMap(true)}>
          <MapIcon aria-hidden />
          <span>{t('tasks.point.onMap')}</span>
        </Button>
      </div>
      <Coordinates
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        inputRef={ref}
        refusal={error && `${id}-error`}
      />
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      {point && place && <Spot point={point} place={place} />}
      {value && (
        <Button
          variant="link"
          className="self-start"
          onClick={() => {
            onChange('')
            group.current?.focus()
          }}
        >
          {t('tasks.point.remove')}
        </Button>
      )}
      {onMap && (
        <PointDialog
          point={point}
          place={place}
          onClose={() => setOnMap(false)}
          onUse={(to) => {
            mark(to)
            setOnMap(false)
          }}
        />
      )}
    </fieldset>
  )
}

type CoordinatesProps = Pick<PointFieldsProps, 'value' | 'onChange' | 'onBlur'> & {
  inputRef: PointFieldsProps['ref']
  /** The id of the error. */
  refusal: string | undefined
}

function Coordinates({ value, onChange, onBlur, inputRef, refusal }: CoordinatesProps) {
  const { t } = useTranslation()
  const [latitude, longitude] = partsOf(value)
  /** Both coordinates can be pasted into either field. */
  const type = (typed: string, joined: string) => {
    const pasted = pointFrom(typed)
    if (pasted) onChange(pointText(pasted))
    else onChange(joined === ', ' ? '' : joined)
  }
  const input = { dir: 'ltr', autoComplete: 'off', maxLength: 60, onBlur } as const
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label={t('tasks.point.latitude')} refusal={refusal}>
        <Input
          {...input}
          ref={inputRef}
          value={latitude}
          onChange={({ target }) => type(target.value, `${target.value}, ${longitude}`)}
        />
      </Field>
      <Field label={t('tasks.point.longitude')} refusal={refusal}>
        <Input
          {...input}
          value={longitude}
          onChange={({ target }) => type(target.value, `${latitude}, ${target.value}`)}
        />
      </Field>
    </div>
  )
}

function Spot({ point, place }: { point: Position; place: Place }) {
  return (
    <p role="status" className="text-sm text-ink-soft">
      {useSpotText(point, place)}
    </p>
  )
}

/** The typed latitude and longitude; each may have a decimal comma. */
function partsOf(value: string): [string, string] {
  const end = value.lastIndexOf(', ')
  return end < 0 ? [value, ''] : [value.slice(0, end), value.slice(end + 2)]
}
