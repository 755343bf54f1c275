// The messages and photos between both sides of a complaint, in order.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { classes } from '../../../ui/classes.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { caseMessagesQuery } from '../api/case.ts'
import { PrivatePicture } from './PrivatePicture.tsx'

type CaseChatProps = { complaintId: string; giverId: string; giver: string; tasker: string }

export function CaseChat({ complaintId, giverId, giver, tasker }: CaseChatProps) {
  const { t } = useTranslation()
  const messages = useQuery(caseMessagesQuery(complaintId))
  if (messages.isPending) return <Skeleton className="h-40 w-full rounded-lg" />
  if (!messages.data)
    return <ErrorState title={t('backOffice.complaints.chatFailed')} onRetry={() => messages.refetch()} />
  if (messages.data.length === 0) return <p className="text-ink-soft">{t('backOffice.complaints.noChat')}</p>
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={t('backOffice.complaints.chat')}
      className="flex max-h-[32rem] flex-col gap-3 overflow-y-auto rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      {messages.data.map(({ id, sender_id, message, photo, created_at }) => {
        const ofGiver = sender_id === giverId
        const name = ofGiver ? giver : tasker
        return (
          <li key={id} className={classes('max-w-[85%]', ofGiver ? 'self-start' : 'self-end')}>
            <p className={classes('mb-1 text-sm text-ink-faint', !ofGiver && 'text-end')}>
              <bdi>{name}</bdi>
              <span>{` · ${formatDateTime(created_at)}`}</span>
            </p>
            <div
              className={classes(
                'rounded-lg px-3.5 py-2',
                ofGiver ? 'rounded-ss-sm bg-sunken' : 'rounded-se-sm bg-sky-soft',
              )}
            >
              {photo && (
                <PrivatePicture
                  bucket="chat-photos"
                  path={photo}
                  label={t('backOffice.complaints.photoFrom', { name })}
                />
              )}
              {message && (
                <p dir="auto" className="whitespace-pre-line wrap-anywhere">
                  {message}
                </p>
              )}
            </div>
          </li>
        )
      })}
    </ul>
  )
}
