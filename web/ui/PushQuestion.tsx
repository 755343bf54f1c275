// Where push is asked about: an empty place until there is something to ask. The question is loaded by then.
import { lazy, Suspense } from 'react'
import { type PushMoment, usePushQuestion } from '../lib/pushQuestion.ts'

const PushQuestionCard = lazy(() => import('./PushQuestionCard.tsx'))

type PushQuestionProps = { userId: string; after: PushMoment; className?: string }

export function PushQuestion({ userId, after, className }: PushQuestionProps) {
  const question = usePushQuestion(userId, after)
  return (
    <div role="status">
      <Suspense>{question && <PushQuestionCard question={question} className={className} />}</Suspense>
    </div>
  )
}
