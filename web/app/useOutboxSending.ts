// Sends what waits, of each kind as its feature does, and says what has left.
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { sendMessage } from '../features/messages/api/actions.ts'
import { sendApplication, sendTask } from '../features/tasks/api/sending.ts'
import { sendNow, startOutbox } from '../lib/outbox.ts'
import { outboxStorage } from '../lib/outboxStorage.ts'
import { queryClient } from '../lib/queryClient.ts'
import { toast } from '../ui/Toaster.tsx'

export function useOutboxSending(userId: string) {
  const { t } = useTranslation()
  useEffect(() => {
    const end = startOutbox({
      userId,
      senders: { message: sendMessage, task: sendTask, application: sendApplication },
      storage: outboxStorage,
      isOnline: () => navigator.onLine,
      onSent: ({ kind, content }) => {
        if (kind === 'message') return
        for (const queryKey of [['tasks'], ['bookings']]) void queryClient.invalidateQueries({ queryKey })
        const { title } = content
        toast.success(t(kind === 'task' ? 'tasks.posted' : 'tasks.applied'), { description: title })
      },
    })
    const resume = () => sendNow()
    window.addEventListener('online', resume)
    return () => {
      window.removeEventListener('online', resume)
      end()
    }
  }, [userId, t])
}
