// Messages one under the other, with the time where there was a pause; older ones come in at the top as one scrolls.
import { ArrowDown } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import type { Waiting } from '../../../lib/outbox.ts'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import type { Message, useMessages } from '../api/queries.ts'
import { Bubble, WaitingBubble } from './Bubble.tsx'
import { useScrollPlace } from './useScrollPlace.ts'

/** A pause after which the time is shown again (specification 001 §9). */
const PAUSE_MS = 5 * 60_000

export function Conversation({
  messages,
  waiting,
  older,
  userId,
  otherName,
}: {
  messages: Message[]
  /** One's own that the server does not have yet. */
  waiting: Waiting<'message'>[]
  older: Pick<
    ReturnType<typeof useMessages>,
    'hasNextPage' | 'isFetching' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
  >
  userId: string
  otherName: string
}) {
  const { t } = useTranslation()
  const newest = waiting.at(-1) ?? messages.at(-1)
  // Not while the newest are read again: that would end what was asked for, and the beginning is reached only once.
  const canAsk = older.hasNextPage && !older.isFetching && !older.isFetchNextPageError
  const place = useScrollPlace({
    first: messages[0]?.id,
    last: newest?.id,
    lastIsOwn: waiting.length > 0 || messages.at(-1)?.sender_id === userId,
    onBeginning: canAsk ? () => older.fetchNextPage() : null,
  })
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={place.scroller}
        role="log"
        aria-label={t('messages.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-5 py-5 [overflow-anchor:none] focus-visible:rounded-none focus-visible:outline-offset-[-3px]"
      >
        <div ref={place.beginning} className="grid min-h-px justify-items-center">
          {older.isFetchingNextPage && <Spinner />}
          {older.isFetchNextPageError && (
            <Button variant="secondary" size="sm" onClick={() => older.fetchNextPage()}>
              {t('ui.tryAgain')}
            </Button>
          )}
        </div>
        {!newest && (
          <p className="grid min-h-64 place-items-center text-center text-ink-soft">{t('messages.none')}</p>
        )}
        <ol ref={place.content} className="flex flex-col gap-2">
          {messages.map((message, index) => (
            <Fragment key={message.id}>
              <Pause at={message.created_at} before={messages[index - 1]?.created_at} />
              <Bubble message={message} own={message.sender_id === userId} otherName={otherName} />
            </Fragment>
          ))}
          {waiting.map((message) => (
            <WaitingBubble key={message.id} message={message} />
          ))}
        </ol>
      </div>
      {place.isAway && (
        <Button
          variant="secondary"
          size="sm"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-float"
          onClick={place.toEnd}
        >
          <ArrowDown aria-hidden />
          <span>{t('messages.newest')}</span>
        </Button>
      )}
    </div>
  )
}

function Pause({ at, before }: { at: string; before: string | undefined }) {
  if (before && Date.parse(at) - Date.parse(before) <= PAUSE_MS) return null
  return (
    <li className="my-2 text-center text-sm text-ink-faint">
      <time dateTime={at}>{formatDateTime(at)}</time>
    </li>
  )
}
