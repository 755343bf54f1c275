// What stands on every screen of a signed-in person: the messages' button, a watch over their sessions, and the
// language of their e-mails.
import { MessagesButton } from '../features/messages/MessagesButton.tsx'
import { useAccountWatch } from './useAccountWatch.ts'
import { useSavedLanguage } from './useSavedLanguage.ts'

export default function SignedIn({ userId }: { userId: string }) {
  useAccountWatch(userId)
  useSavedLanguage()
  return <MessagesButton key={userId} userId={userId} />
}
