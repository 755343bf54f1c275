// Messages one under the other: the other's at the start, one's own at the end, with the time where there was a pause.
import { Check, CheckCheck } from 'lucide-react'
import { Fragment, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { classes } from '../../ui/classes.ts'
import type { Message } from './api/queries.ts'

/** A pause after which the time is shown again (specification 001 §9). */
const PAUSE_MS = 5 * 60_000

export function Conversation({
  messages,
  userId,
  otherName,
}: {
  messages: Message[]
  userId: string
  otherName: string
}) {
  const { t } = useTranslation()
  const end = useRef<HTMLLIElement>(null)
  const latest = messages.at(-1)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what to scroll to
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' })
  }, [latest])

  if (messages.length === 0) {
    return <p className="grid min-h-64 place-items-center text-center text-ink-soft">{t('messages.none')}</p>
  }
  return (
    <ol role="log" aria-label={t('messages.title')} className="flex min-h-64 flex-col gap-2">
      {messages.map((message, index) => {
        const before = messages[index - 1]
        const paused = !before || Date.parse(message.created_at) - Date.parse(before.created_at) > PAUSE_MS
        const own = message.sender_id === userId
        return (
          <Fragment key={message.id}>
            {paused && (
              <li className="my-2 text-center text-sm text-ink-faint">
                <time dateTime={message.created_at}>{formatDateTime(message.created_at)}</time>
              </li>
            )}
            <li
              className={classes(
                'flex max-w-[85%] items-end gap-2 rounded-lg px-3.5 py-2',
                own ? 'self-end rounded-ee-sm bg-sky-soft' : 'self-start rounded-es-sm bg-sunken',
              )}
            >
              <span className="sr-only">{own ? t('messages.you') : otherName}: </span>
              <p dir="auto" className="min-w-0 whitespace-pre-line wrap-anywhere">
                {message.message}
              </p>
              {own && <Tick read={message.status === 'read'} />}
            </li>
          </Fragment>
        )
      })}
      <li ref={end} aria-hidden />
    </ol>
  )
}

/** One tick: sent. Two: read. */
function Tick({ read }: { read: boolean }) {
  const { t } = useTranslation()
  const Icon = read ? CheckCheck : Check
  return (
    <span role="img" aria-label={t(read ? 'messages.read' : 'messages.sent')} className="-me-1 mb-1 shrink-0">
      <Icon aria-hidden className={classes('size-4', read ? 'text-sky' : 'text-ink-faint')} />
    </span>
  )
}
