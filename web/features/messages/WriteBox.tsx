// Where a message is written; Enter sends, Shift and Enter begin a new line.
import { SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import { errorText } from '../../lib/errorText.ts'
import { useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { dropDraft, keepDraft, readDraft } from '../../ui/form/drafts.ts'
import { Textarea } from '../../ui/Input.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useSend } from './api/queries.ts'

/** From this many characters left on, the count is shown. */
const COUNT_SHOWN_BELOW = 100

export function WriteBox({
  bookingId,
  otherId,
  otherName,
}: {
  bookingId: string
  otherId: string
  otherName: string
}) {
  const { t } = useTranslation()
  const userId = useUserId()
  const draftName = `message:${bookingId}:${userId}`
  const [text, setText] = useState(() => readDraft<{ text: string }>(draftName)?.text ?? '')
  const sending = useSend({
    bookingId,
    senderId: userId,
    receiverId: otherId,
    onSent: () => {
      setText('')
      dropDraft(draftName)
    },
    onFailed: (error) => toast.error(t('messages.error'), { description: errorText(error) }),
  })
  const send = () => trimmed(text) && sending.mutate(trimmed(text))
  const left = limits.chatMessage.max - text.length

  return (
    <form
      className="flex w-full items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="min-w-0 flex-1">
        <Textarea
          rows={1}
          maxLength={limits.chatMessage.max}
          aria-label={t('messages.write', { name: otherName })}
          placeholder={t('messages.placeholder')}
          className="block max-h-40 min-h-11"
          dir="auto"
          value={text}
          readOnly={sending.isPending}
          onChange={(event) => {
            setText(event.target.value)
            keepDraft(draftName, { text: event.target.value })
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        {left <= COUNT_SHOWN_BELOW && (
          <p className="mt-1 text-sm text-ink-faint">{t('messages.left', { count: left })}</p>
        )}
      </div>
      <Button
        type="submit"
        size="icon"
        aria-label={t('messages.send')}
        loading={sending.isPending}
        disabled={!trimmed(text)}
      >
        <SendHorizontal aria-hidden className="rtl:-scale-x-100" />
      </Button>
    </form>
  )
}
