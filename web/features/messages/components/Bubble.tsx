// One message: the other's at the start, one's own at the end with its ticks, or with how far it is on its way.
import { Check, CheckCheck, Clock3, EyeOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Waiting } from '../../../lib/outbox.ts'
import { removeFromOutbox, sendNow } from '../../../lib/outbox.ts'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Progress } from '../../../ui/Progress.tsx'
import { ReportButton } from '../../../ui/ReportButton.tsx'
import type { Message } from '../api/queries.ts'
import { Photo, PhotoPreview } from './Photo.tsx'

const BUBBLE_CLASSES = 'flex max-w-[85%] items-end gap-2 rounded-lg px-3.5 py-2'
const OWN_CLASSES = 'self-end rounded-ee-sm bg-sky-soft'
const OTHER_CLASSES = 'self-start rounded-es-sm bg-sunken'

export function Bubble({ message, own, otherName }: { message: Message; own: boolean; otherName: string }) {
  const { t } = useTranslation()
  const { hidden } = message
  const reportable = !own && !hidden
  return (
    <li
      // A touch that rests on what can be reported shows how, as a pointer above it does.
      tabIndex={reportable ? -1 : undefined}
      className={classes(
        BUBBLE_CLASSES,
        reportable && 'group relative focus:outline-none',
        own ? OWN_CLASSES : OTHER_CLASSES,
        hidden && 'border border-dashed border-line-strong bg-transparent text-ink-soft',
      )}
    >
      <span className="sr-only">
        {t('ui.labelled', { label: own ? t('messages.you') : otherName, value: '' })}
      </span>
      <div className="min-w-0">
        {hidden && (
          <p className="flex items-start gap-2 text-sm">
            <EyeOff aria-hidden className="mt-[0.2em] size-[1em] shrink-0" />
            <span>{t(own ? 'messages.removedOwn' : 'messages.removed')}</span>
          </p>
        )}
        {/* The file of a hidden photo is for administrators alone. */}
        {message.photo && !hidden && (
          <Photo
            path={message.photo}
            label={own ? t('messages.ownPhoto') : t('messages.photoFrom', { name: otherName })}
          />
        )}
        {message.message && <Text text={message.message} />}
      </div>
      {own && !hidden && <Tick read={message.status === 'read'} />}
      {reportable && (
        <ReportButton
          kind="message"
          subject={message.id}
          compact
          className="pointer-events-none absolute start-full bottom-0 ms-1 opacity-0 group-focus-within:pointer-events-auto group-focus-within:opacity-100 group-hover:pointer-events-auto group-hover:opacity-100"
        />
      )}
    </li>
  )
}

/** One's own that the server does not have yet. */
export function WaitingBubble({ message }: { message: Waiting<'message'> }) {
  const { t } = useTranslation()
  const { id, content, photo, state, refusal, photoShare } = message
  return (
    <li className="flex max-w-[85%] flex-col items-end self-end">
      <div
        className={classes(BUBBLE_CLASSES, OWN_CLASSES, 'max-w-full', state === 'sending' && 'opacity-80')}
      >
        <span className="sr-only">{t('ui.labelled', { label: t('messages.you'), value: '' })}</span>
        <div className="min-w-0">
          {photo && <PhotoPreview photo={photo} label={t('messages.ownPhoto')} />}
          {photoShare !== undefined && state === 'sending' && (
            <Progress
              label={t('messages.uploading')}
              value={photoShare}
              max={1}
              className="mt-2 bg-surface"
            />
          )}
          {content.text && <Text text={content.text} />}
        </div>
        <Clock3 aria-hidden className="-me-1 mb-1 size-4 shrink-0 text-ink-faint" />
      </div>
      {state === 'sending' ? (
        <p className="mt-1 text-sm text-ink-faint">{t('messages.sending')}</p>
      ) : (
        <>
          {refusal && <p className="mt-1 text-sm text-danger">{refusal}</p>}
          <p
            className={classes(
              'flex flex-wrap items-center justify-end gap-x-2 text-sm',
              refusal ? 'text-danger' : 'text-ink-soft',
            )}
          >
            {/* A message that was not refused is sent by itself, as soon as possible. */}
            <span>{t(refusal ? 'messages.unsent' : 'layout.outbox.state.waiting')}</span>
            <Button variant="link" className="min-h-6 text-sm" onClick={() => sendNow(id)}>
              {t('messages.again')}
            </Button>
            {refusal && (
              <Button variant="link" className="min-h-6 text-sm" onClick={() => removeFromOutbox(id)}>
                {t('messages.discard')}
              </Button>
            )}
          </p>
        </>
      )}
    </li>
  )
}

function Text({ text }: { text: string }) {
  return (
    <p dir="auto" className="min-w-0 whitespace-pre-line wrap-anywhere">
      {text}
    </p>
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
