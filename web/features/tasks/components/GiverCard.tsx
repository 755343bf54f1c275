// The giver as strangers may see them. Contact details stay private until a booking is accepted.
import { Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { publicProfilePath } from '../../../lib/paths.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import type { Giver } from '../api/openTasks.ts'

export function GiverCard({ giver }: { giver: Giver }) {
  const { t } = useTranslation()
  const name = giver.full_name ?? t('ui.deletedUser')
  return (
    <Card asChild>
      <section>
        <h2 className="font-sans text-sm font-semibold tracking-normal text-ink-soft">
          {t('tasks.giverTitle')}
        </h2>
        <div className="mt-3 flex items-center gap-3">
          <Avatar name={name} src={giver.avatar_url} />
          <div className="min-w-0">
            <p className="font-semibold wrap-anywhere">
              {giver.id && giver.full_name ? (
                <Link to={publicProfilePath(giver.id)} className="hover:text-sky hover:underline">
                  {name}
                </Link>
              ) : (
                name
              )}
            </p>
            {(giver.total_reviews ?? 0) > 0 ? (
              <Stars rating={giver.rating ?? 0} count={giver.total_reviews ?? 0} className="text-sm" />
            ) : (
              <p className="text-sm text-ink-faint">{t('tasks.giverNew')}</p>
            )}
          </div>
        </div>
        {giver.bio && (
          <p dir="auto" className="cut-words mt-3 line-clamp-5 text-ink-soft">
            {giver.bio}
          </p>
        )}
        <p className="mt-4 flex items-start gap-2 text-sm text-ink-faint">
          <Lock aria-hidden className="mt-[0.25em] size-[1em] shrink-0" />
          <span>{t('tasks.giverPrivate')}</span>
        </p>
      </section>
    </Card>
  )
}
