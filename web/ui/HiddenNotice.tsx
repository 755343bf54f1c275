// Tells somebody that others do not see what they wrote, why, and what can be done.
import { EyeOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { contactEmail } from '../../marketplace.config.ts'
import { type Restriction, useRestrictionsQuery } from '../lib/queries/restrictions.ts'
import { NotYetKnown } from './Skeleton.tsx'

/** `<HiddenNotice kind="task" id={task.id} />`, above the reader's own: nothing unless it is hidden. */
export function HiddenNotice({ kind, id }: Pick<Restriction, 'kind' | 'id'>) {
  const { t } = useTranslation()
  const { data, isLoading } = useRestrictionsQuery()
  if (isLoading) return <NotYetKnown />
  const hidden = data?.find((one) => one.kind === kind && one.id === id)
  if (!hidden) return null
  return (
    <div role="note" className="my-4 flex gap-3 rounded-lg bg-wheat-soft p-4 text-wheat-ink">
      <EyeOff aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="flex min-w-0 flex-col gap-2">
        <p className="font-semibold">{t(`ui.hidden.${hidden.kind}`)}</p>
        <RestrictionReason restriction={hidden} />
      </div>
    </div>
  )
}

/** Why, and whom to write to. */
export function RestrictionReason({ restriction: { reason } }: { restriction: Restriction }) {
  const { t } = useTranslation()
  return (
    <>
      {reason && (
        <blockquote dir="auto" className="border-s-2 border-current ps-3 whitespace-pre-line wrap-anywhere">
          {reason}
        </blockquote>
      )}
      <p className="text-sm">
        <span>{t('ui.hidden.appeal')}</span>{' '}
        <a href={`mailto:${contactEmail}`} className="font-medium underline underline-offset-2">
          {contactEmail}
        </a>
      </p>
    </>
  )
}
