// Where a message is written; Enter sends, Shift and Enter begin a new line. What is not sent yet stays as a draft.
import { SendHorizontal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed } from '../../../../shared/text.ts'
import { addToOutbox } from '../../../lib/outbox.ts'
import { askAboutPush } from '../../../lib/pushQuestion.ts'
import { useUserId } from '../../../lib/session.tsx'
import { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { isEnter } from '../../../ui/keys.ts'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { ChosenPhoto, PhotoButton, usePhotoChoice } from './PhotoPicker.tsx'

export type ChatPartners = { bookingId: string; otherId: string; otherName: string }

/** From this many characters left on, the count is shown. */
const COUNT_SHOWN_BELOW = 100

const schema = z.object({ text: z.string().overwrite(trimmed) })

type WriteBoxProps = ChatPartners & { takesFocus: boolean; onTyping: (typing: boolean) => void }

export function WriteBox({ takesFocus, ...props }: WriteBoxProps) {
  const { otherName, onTyping } = props
  const { t } = useTranslation()
  const { form, choice, send } = useMessage(props)
  const text = form.watch('text')
  const left = limits.chatMessage.max - text.length

  return (
    <Form form={form} onSubmit={send} className="w-full">
      <ChosenPhoto
        photo={choice.photo}
        problem={choice.problem}
        onRemove={() => {
          choice.clear()
          form.setFocus('text')
        }}
      />
      <div className="flex items-end gap-2">
        <PhotoButton
          choose={async (file) => {
            await choice.choose(file)
            form.setFocus('text')
          }}
        />
        <div className="min-w-0 flex-1">
          <Textarea
            rows={1}
            {...INITIAL_FOCUS}
            // People open a conversation to write.
            autoFocus={takesFocus}
            maxLength={limits.chatMessage.max}
            aria-label={t('messages.write', { name: otherName })}
            placeholder={t('messages.placeholder')}
            className="block max-h-40 min-h-11 resize-none"
            dir="auto"
            {...form.register('text', { onChange: ({ target }) => onTyping(trimmed(target.value) !== '') })}
            onPaste={({ clipboardData }) => choice.choose(clipboardData.files[0])}
            onKeyDown={(event) => {
              if (!isEnter(event) || event.shiftKey) return
              event.preventDefault()
              form.handleSubmit(send)()
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
          disabled={!trimmed(text) && !choice.photo}
        >
          <SendHorizontal aria-hidden className="rtl:-scale-x-100" />
        </Button>
      </div>
    </Form>
  )
}

/** The message being written, its photo, and sending both. */
function useMessage({ bookingId, otherId, otherName, onTyping }: Omit<WriteBoxProps, 'takesFocus'>) {
  const userId = useUserId()
  const form = useZodForm(schema, {
    defaultValues: { text: '' },
    draft: `message:${bookingId}:${userId}`,
  })
  const choice = usePhotoChoice()
  const send = ({ text }: { text: string }) => {
    if (!text && !choice.photo) return
    addToOutbox({
      kind: 'message',
      id: crypto.randomUUID(),
      content: { bookingId, senderId: userId, receiverId: otherId, receiverName: otherName, text },
      ...(choice.photo ? { photo: choice.photo } : {}),
    })
    if (navigator.onLine) askAboutPush({ userId, moment: 'written', name: otherName })
    choice.clear()
    onTyping(false)
    form.setValue('text', '')
    form.dropDraft()
    form.setFocus('text')
  }
  return { form, choice, send }
}
