// The person's content that an administrator has hidden, with the reasons and links.
import { EyeOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { BOOKING_PARAMETER, paths, publicProfilePath, taskPath } from '../../../lib/paths.ts'
import { type Restriction, useRestrictions } from '../../../lib/queries/restrictions.ts'
import { Card } from '../../../ui/Card.tsx'
import { RestrictionReason } from '../../../ui/HiddenNotice.tsx'

/** Nothing while nothing is hidden. */
export function HiddenThings() {
  const { t } = useTranslation()
  const hidden = useRestrictions().filter(({ kind }) => kind !== 'suspension')
  if (hidden.length === 0) return null
  return (
    <section aria-labelledby="hidden" className="mb-8 sm:mb-10">
      <h2 id="hidden" className="mb-4 text-2xl">
        {t('dashboard.hiddenTitle')}
      </h2>
      <ul className="flex flex-col gap-3">
        {hidden.map((one) => (
          <li key={one.id}>
            <Card className="flex gap-3 p-5">
              <EyeOff aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
              <div className="flex min-w-0 flex-col gap-2">
                <p className="font-semibold">
                  <span>{t(`ui.hidden.${one.kind}`)}</span>{' '}
                  <Link to={placeOf(one)} className="font-medium underline underline-offset-2">
                    {one.title ? <bdi>{one.title}</bdi> : t('dashboard.hiddenProfile')}
                  </Link>
                </p>
                <RestrictionReason restriction={one} />
              </div>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  )
}

function placeOf({ kind, subject_id }: Restriction): string {
  if (kind === 'task' || kind === 'question' || kind === 'answer') return taskPath(subject_id)
  if (kind === 'review') return publicProfilePath(subject_id)
  return kind === 'message' ? `${paths.bookings}?${BOOKING_PARAMETER}=${subject_id}` : paths.profile
}
