// Messages: the conversation of a booking's two people, opened from the booking (specification 001 §2, §4, §9).
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/Dialog.tsx'
import { useBackSteps } from '../../ui/useBackSteps.ts'
import { type Verifiable, VerifiedMark } from '../../ui/VerifiedMark.tsx'
import { Chat } from './components/Chat.tsx'
import type { ChatPartners } from './components/WriteBox.tsx'

type ChatDialogProps = ChatPartners & {
  /** Null when they have left. */
  other: Verifiable | null
  /** The task's title. */
  title: string
  /** The work is done: the conversation goes on here and is no longer among the current ones. */
  completed: boolean
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function ChatDialog({ open, onOpenChange, other, title, completed, ...partners }: ChatDialogProps) {
  const { t } = useTranslation()
  useBackSteps(open ? 1 : 0, () => onOpenChange(false))
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      tall
      title={t('messages.title')}
      description={
        <div>
          <p className="flex flex-wrap items-center gap-x-2">
            <span dir="auto" className="min-w-0 truncate font-semibold text-ink">
              {partners.otherName}
            </span>
            <VerifiedMark person={other} />
          </p>
          <p dir="auto" className="cut-words truncate">
            {title}
          </p>
          {completed && <p className="mt-1 text-sm">{t('messages.completed')}</p>}
        </div>
      }
    >
      <Chat {...partners} />
    </Dialog>
  )
}
