// /notifications/settings: what to hear of, at the bell and by e-mail, by kind. E-mails link here.
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../lib/paths.ts'
import { type NotificationChoice, notificationSettingsQuery } from '../../lib/queries/notificationSettings.ts'
import { useUserId } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Switch } from '../../ui/Checkbox.tsx'
import { classes } from '../../ui/classes.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import { saveChoice } from './api/actions.ts'
import { PushSettings } from './PushSettings.tsx'
import { StoppedEmails } from './StoppedEmails.tsx'

const WAYS = ['bell', 'email', 'push'] as const
/** A kind's description and its switches; the same columns in each row. */
const GRID_CLASSES = 'grid gap-x-8 gap-y-3 sm:grid-cols-[minmax(0,1fr)_17rem]'
const WAYS_CLASSES = 'grid grid-cols-[1.3fr_1.1fr_1fr] gap-x-3 sm:grid-cols-3 sm:gap-x-1'

export default function NotificationSettingsPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const settings = useQuery(notificationSettingsQuery(userId))
  const saving = useAction(saveChoice(userId), { onError: t('preferences.failed') })

  return (
    <Page width="narrow" className="in-order">
      <PageHeader
        title={t('preferences.title')}
        subtitle={t('preferences.lead')}
        back={{ to: paths.profile, label: t('preferences.back') }}
      />
      <StoppedEmails userId={userId} />
      <PushSettings userId={userId} />
      {settings.isLoadingError ? (
        <ErrorState title={t('preferences.loadFailed')} onRetry={() => settings.refetch()} />
      ) : (
        <Card className="p-0">
          {/* Where there is room, each way is named once. */}
          <div
            aria-hidden
            className={classes(GRID_CLASSES, 'border-b border-line py-2.5 max-sm:hidden sm:px-7')}
          >
            <span
              className={classes(WAYS_CLASSES, 'col-start-2 text-center text-sm font-medium text-ink-soft')}
            >
              {WAYS.map((way) => (
                <span key={way}>{t(`preferences.${way}`)}</span>
              ))}
            </span>
          </div>
          {settings.data ? (
            <ul className="divide-y divide-line">
              {settings.data.map(({ required, ...saved }) => (
                <KindRow
                  key={saved.kind}
                  required={required}
                  choice={
                    saving.isPending && saving.variables?.kind === saved.kind ? saving.variables : saved
                  }
                  onChoose={(way, chosen) => saving.mutate({ ...saved, [way]: chosen })}
                />
              ))}
            </ul>
          ) : (
            <div className="flex flex-col gap-4 p-5 sm:p-7" aria-busy>
              {[1, 2, 3, 4].map((row) => (
                <Skeleton key={row} className="h-32 w-full sm:h-14" />
              ))}
            </div>
          )}
        </Card>
      )}
      <div className="mt-6 flex flex-col gap-2 text-ink-soft">
        <p>{t('preferences.alwaysWhy')}</p>
        <p>{t('preferences.gathering')}</p>
        <p>{t('preferences.security')}</p>
      </div>
    </Page>
  )
}

type Way = (typeof WAYS)[number]

type KindRowProps = {
  /** Its notifications at the bell and by e-mail cannot be turned off. */
  required: boolean
  choice: NotificationChoice
  onChoose: (way: Way, chosen: boolean) => void
}

function KindRow({ required, choice, onChoose }: KindRowProps) {
  const { t } = useTranslation()
  const { kind } = choice
  const name = t(`preferences.kinds.${kind}.name`)
  return (
    <li className={classes(GRID_CLASSES, 'p-5 sm:items-center sm:px-7')}>
      <div className="min-w-0">
        <h2 className="font-sans text-lg font-semibold">{name}</h2>
        <p className="text-ink-soft">{t(`preferences.kinds.${kind}.about`)}</p>
      </div>
      <div className={WAYS_CLASSES}>
        {required && (
          <p className="col-span-2 flex items-center gap-2 text-ink-soft sm:justify-center">
            <Lock aria-hidden className="size-4" />
            <span>{t('preferences.always')}</span>
          </p>
        )}
        {(required ? (['push'] as const) : WAYS).map((way) => (
          <Switch
            key={way}
            className="max-sm:flex-col max-sm:gap-1 max-sm:text-sm sm:justify-center sm:gap-0"
            label={<span className="sm:hidden">{t(`preferences.${way}`)}</span>}
            aria-label={t(`preferences.${way}Of`, { kind: name })}
            checked={choice[way]}
            onChange={(event) => onChoose(way, event.target.checked)}
          />
        ))}
      </div>
    </li>
  )
}
