// The travel area of a tasker: where they start from, a place or the device's position, and how far they travel.
import { useQuery } from '@tanstack/react-query'
import { MapPin } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { formatKilometres } from '../../../lib/format.ts'
import { placeLabel, placeQuery } from '../../../lib/queries/places.ts'
import { travelAreaQuery } from '../../../lib/queries/travelArea.ts'
import { radiiWith } from '../../../lib/radii.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Problem } from '../../../ui/form/Field.tsx'
import { LocationButton } from '../../../ui/LocationButton.tsx'
import { PlaceInput } from '../../../ui/PlaceInput.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type AreaDraft, removeTravelArea, saveTravelArea } from '../api/travelArea.ts'

const USUAL_KM = 50

export default function TravelAreaForm({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const { data: saved, error: unread } = useQuery(travelAreaQuery(userId))
  const [changed, setChanged] = useState<Partial<AreaDraft>>({})
  const [isMissing, setMissing] = useState(false)
  const kept = () => setChanged({})
  const saving = useAction(saveTravelArea(userId, !saved), {
    onSuccess: () => {
      kept()
      toast.success(t('near.travel.saved'))
    },
  })
  const removing = useAction(removeTravelArea(userId), {
    onSuccess: () => {
      kept()
      toast.success(t('near.travel.removed'))
    },
  })
  const { place_id, latitude, longitude, radius_km = USUAL_KM } = { ...saved, ...changed }
  const start = (next: Omit<AreaDraft, 'radius_km'>) => {
    setMissing(false)
    setChanged({ ...changed, ...next })
  }
  const save = () => {
    if (latitude === undefined || longitude === undefined) return setMissing(true)
    saving.mutate({ place_id: place_id ?? null, latitude, longitude, radius_km })
  }
  const failure = saving.error ?? removing.error ?? unread
  const problem = isMissing ? t('near.travel.missing') : failure && errorText(failure)
  return (
    <section aria-labelledby="travel-area" className="mt-8 flex flex-col gap-5 border-t border-line pt-7">
      <div>
        <h2 id="travel-area" className="text-xl">
          {t('near.travel.title')}
        </h2>
        <p className="mt-1 text-ink-soft">{t('near.travel.lead')}</p>
        <p className="mt-1 text-ink-soft">{t('near.travel.askers')}</p>
      </div>
      <p className="flex items-center gap-2 font-semibold" role="status">
        <MapPin aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <StartText placeId={place_id} isSet={latitude !== undefined} />
      </p>
      <Field label={t('near.travel.start')} hint={t('near.placeHint')}>
        <PlaceInput
          onlyPlaces
          onChoose={({ id, latitude, longitude }) => start({ place_id: id, latitude, longitude })}
        />
      </Field>
      <LocationButton
        variant="secondary"
        reason={t('near.travel.reason')}
        onFound={(position) => start({ place_id: null, ...position })}
      />
      <Field label={t('near.travel.radius')} className="max-w-60">
        <Select
          value={radius_km}
          onChange={(event) => setChanged({ ...changed, radius_km: Number(event.target.value) })}
        >
          {radiiWith(radius_km).map((km) => (
            <option key={km} value={km}>
              {formatKilometres(km)}
            </option>
          ))}
        </Select>
      </Field>
      {problem && <Problem>{problem}</Problem>}
      <div className="flex flex-wrap gap-3">
        <Button loading={saving.isPending} disabled={saved === undefined} onClick={save}>
          {t('near.travel.save')}
        </Button>
        {saved && (
          <Button variant="secondary" loading={removing.isPending} onClick={() => removing.mutate()}>
            {t('near.travel.remove')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** The name of the place, or what else it is. */
function StartText({ placeId, isSet }: { placeId: string | null | undefined; isSet: boolean }) {
  const { t } = useTranslation()
  const place = useQuery(placeQuery(placeId ?? undefined)).data
  if (!isSet) return <span>{t('near.travel.none')}</span>
  return <bdi>{place ? placeLabel(place) : t('near.travel.position')}</bdi>
}
