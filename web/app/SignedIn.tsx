// What stands on every screen of a signed-in person: the messages' button, what is sent once it can be, a watch over
// their sessions, and the language of their e-mails.
import { Fragment } from 'react'
import { MessagesButton } from '../features/messages/MessagesButton.tsx'
import { LeavingQuestion } from './LeavingQuestion.tsx'
import { useAccountWatch } from './useAccountWatch.ts'
import { useOutboxSending } from './useOutboxSending.ts'
import { useSavedLanguage } from './useSavedLanguage.ts'

export default function SignedIn({ userId }: { userId: string }) {
  useAccountWatch(userId)
  useSavedLanguage()
  useOutboxSending(userId)
  return (
    <Fragment key={userId}>
      <MessagesButton userId={userId} />
      <LeavingQuestion />
    </Fragment>
  )
}
