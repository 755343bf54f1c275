// Where push is asked about: an empty place until there is something to ask. What it says comes with its texts by then.
import { lazy, Suspense } from 'react'
import { openTexts } from '../i18n/index.ts'
import { type PushMoment, usePushQuestion } from '../lib/pushQuestion.ts'

const PushQuestionCard = lazy(async () => {
  const [card] = await Promise.all([import('./PushQuestionCard.tsx'), openTexts(['push'])])
  return card
})

type PushQuestionProps = { userId: string; after: PushMoment; className?: string }

export function PushQuestion({ userId, after, className }: PushQuestionProps) {
  const question = usePushQuestion(userId, after)
  return (
    <div role="status">
      <Suspense>{question && <PushQuestionCard question={question} className={className} />}</Suspense>
    </div>
  )
}
