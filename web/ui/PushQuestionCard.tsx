// Asks whether to push to this browser; the browser's own question comes only after a yes.
import { BellRing } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { pushKey, startPush } from '../lib/push.ts'
import { endPushQuestion, type PushQuestion } from '../lib/pushQuestion.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { toast } from './Toaster.tsx'
import { useAction } from './useAction.ts'

type PushQuestionCardProps = { question: PushQuestion; className?: string | undefined }

export default function PushQuestionCard({ question, className }: PushQuestionCardProps) {
  const { t } = useTranslation()
  const { userId, name } = question
  const starting = useAction(
    { run: startPush, invalidates: [pushKey(userId)] },
    {
      onSuccess: () => {
        endPushQuestion()
        if (Notification.permission === 'granted') toast.success(t('push.on'))
      },
      onError: t('push.failed'),
    },
  )
  return (
    <section
      className={classes(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-sky-soft p-4 text-ink',
        className,
      )}
    >
      <BellRing aria-hidden className="size-5 shrink-0 text-sky" />
      <div className="min-w-48 flex-1">
        <p className="font-semibold">{name ? t('push.answers', { name }) : t('push.applies')}</p>
        <p className="text-sm text-ink-soft">{t('push.hint')}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" loading={starting.isPending} onClick={() => starting.mutate()}>
          {t('push.turnOn')}
        </Button>
        <Button size="sm" variant="ghost" onClick={endPushQuestion}>
          {t('push.notNow')}
        </Button>
      </div>
    </section>
  )
}
