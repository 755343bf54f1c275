// Push to this device, and the hours in which it is quiet.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type PushState, pushQuery } from '../../lib/push.ts'
import { Card } from '../../ui/Card.tsx'
import { Switch } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useAction } from '../../ui/useAction.ts'
import { saveQuietHours, setPush } from './api/actions.ts'
import { type QuietHours as Hours, quietHoursQuery } from './api/queries.ts'

const hints = {
  on: 'preferences.pushHint',
  off: 'preferences.pushHint',
  denied: 'preferences.pushDenied',
  unsupported: 'preferences.pushUnsupported',
} as const satisfies Record<PushState, string>

/** Default quiet hours. */
const NIGHT = { starts: '22:00', ends: '07:00' }

export function PushSettings({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const push = useQuery(pushQuery(userId))
  const quiet = useQuery(quietHoursQuery(userId))
  const turning = useAction(setPush(userId), { onError: t('preferences.failed') })
  const state = push.data ?? 'off'
  const on = turning.isPending ? turning.variables : state === 'on'
  if (push.isPending || quiet.isPending) {
    return (
      <Card aria-busy className="mb-6 flex flex-col gap-5 p-5 sm:p-7">
        <Skeleton className="h-19 w-full sm:h-14" />
        <Skeleton className="h-24 w-full sm:h-16" />
      </Card>
    )
  }
  return (
    <Card className="mb-6 flex flex-col gap-5 p-5 sm:p-7">
      <Switch
        className="w-full"
        label={<span className="text-lg font-semibold">{t('preferences.pushHere')}</span>}
        hint={t(hints[state])}
        checked={on}
        disabled={!push.data || state === 'unsupported' || state === 'denied'}
        onChange={(event) => turning.mutate(event.target.checked)}
      />
      {quiet.data !== undefined && <QuietHours userId={userId} saved={quiet.data} />}
    </Card>
  )
}

function QuietHours({ userId, saved }: { userId: string; saved: Hours | null }) {
  const { t } = useTranslation()
  const saving = useAction(saveQuietHours(userId), { onError: t('preferences.failed') })
  // A choice made while another is being saved; it is saved next.
  const next = useRef<{ hours: Hours | null } | null>(null)
  const { isPending, mutate } = saving
  useEffect(() => {
    if (isPending || !next.current) return
    const { hours } = next.current
    next.current = null
    mutate(hours)
  }, [isPending, mutate])
  const save = (hours: Hours | null) => {
    if (isPending) next.current = { hours }
    else mutate(hours)
  }
  const hours = saving.isPending ? (saving.variables ?? null) : saved
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-5">
      <Switch
        className="w-full"
        label={<span className="text-lg font-semibold">{t('preferences.quiet')}</span>}
        hint={t('preferences.quietHint')}
        checked={hours !== null}
        onChange={(event) => save(event.target.checked ? NIGHT : null)}
      />
      {hours && (
        <div className="flex flex-wrap gap-4">
          {(['starts', 'ends'] as const).map((end) => (
            <Field key={end} label={t(`preferences.quietTime.${end}`)}>
              <Input
                type="time"
                required
                className="w-36"
                key={hours[end]}
                defaultValue={hours[end]}
                // An hour that is half typed, or the same twice, is not saved.
                onBlur={({ target }) => {
                  const chosen = { ...hours, [end]: target.value }
                  if (target.value && chosen.starts !== chosen.ends && target.value !== hours[end])
                    save(chosen)
                }}
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  )
}
