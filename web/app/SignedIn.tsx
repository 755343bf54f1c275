// Work on every screen of a signed-in person: sends the outbox, watches their sessions and saves the language of
// their e-mails.
import { LeavingQuestion } from './LeavingQuestion.tsx'
import { useAccountWatch } from './useAccountWatch.ts'
import { useOutboxSending } from './useOutboxSending.ts'
import { useSavedLanguage } from './useSavedLanguage.ts'

export default function SignedIn({ userId }: { userId: string }) {
  useAccountWatch(userId)
  useSavedLanguage()
  useOutboxSending(userId)
  return <LeavingQuestion key={userId} />
}
