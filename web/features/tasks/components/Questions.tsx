// The questions about a task: everybody who sees it reads them, taskers ask, its giver answers.
import { useQuery } from '@tanstack/react-query'
import { MessageCircleQuestion } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useLive } from '../../../lib/live.ts'
import { QUESTION_PARAMETER } from '../../../lib/paths.ts'
import { HiddenContacts } from '../../../ui/ContactNotice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import type { TaskDetails } from '../api/queries.ts'
import { askQuestion, type Question, questionsQuery, questionWatches } from '../api/questions.ts'
import { QuestionForm } from './QuestionForm.tsx'
import { QuestionItem } from './QuestionItem.tsx'

type QuestionsProps = { task: TaskDetails; userId: string; mayDo: boolean }

export function Questions({ task, userId, mayDo }: QuestionsProps) {
  const { t } = useTranslation()
  const questions = useQuery(questionsQuery(task.id))
  useLive(questionWatches(task.id))
  const own = task.task_giver_id === userId
  const mayAsk = mayDo && !task.hidden_for && (task.status === 'open' || task.asked_tasker_id === userId)
  // Nobody asks any more, and nobody has.
  if (questions.data?.length === 0 && !mayAsk && !(own && task.status === 'open')) return null
  return (
    <section aria-labelledby="questions-title">
      <h2 id="questions-title" className="mb-1 text-xl">
        {t('applying.questions.title')}
      </h2>
      <p className="text-ink-soft">
        {t(task.status === 'asked' ? 'applying.questions.leadPrivate' : 'applying.questions.lead')}
      </p>
      <QuestionList questions={questions} task={task} userId={userId} mayAsk={mayAsk} />
      {mayAsk && (
        <div className="mt-6 max-w-prose">
          <QuestionForm
            kind="question"
            action={askQuestion(task.id, userId)}
            draft={`ask:${task.id}:${userId}`}
          />
        </div>
      )}
    </section>
  )
}

type QuestionListProps = {
  questions: {
    data: Question[] | undefined
    error: Error | null
    isLoadingError: boolean
    isPaused: boolean
    refetch: () => unknown
  }
  task: TaskDetails
  userId: string
  mayAsk: boolean
}

function QuestionList({ questions, task, userId, mayAsk }: QuestionListProps) {
  const { t } = useTranslation()
  const [address] = useSearchParams()
  const wanted = address.get(QUESTION_PARAMETER)
  const list = useRef<HTMLUListElement>(null)
  const isThere = questions.data?.some(({ id }) => id === wanted) === true
  // A notification leads to one of them.
  useEffect(() => {
    if (isThere) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
  }, [isThere])
  if (questions.isLoadingError || (!questions.data && questions.isPaused)) {
    return (
      <ErrorState
        title={t('applying.questions.failed')}
        error={questions.error}
        onRetry={questions.refetch}
      />
    )
  }
  if (!questions.data) {
    return (
      <div aria-busy className="mt-4 flex flex-col gap-3">
        <span className="sr-only">{t('ui.loading')}</span>
        <Skeleton fits className="w-32" />
        <Skeleton fits className="w-3/4" />
      </div>
    )
  }
  if (questions.data.length === 0) {
    return (
      <p className="mt-4 flex items-center gap-2.5 text-ink-soft">
        <MessageCircleQuestion aria-hidden className="size-5 shrink-0" />
        <span>{t(mayAsk ? 'applying.questions.noneAsk' : 'applying.questions.none')}</span>
      </p>
    )
  }
  return (
    <>
      <ul ref={list} className="mt-4 flex max-w-prose flex-col divide-y divide-line">
        {questions.data.map((question) => (
          <QuestionItem
            key={question.id}
            question={question}
            task={task}
            userId={userId}
            isWanted={question.id === wanted}
          />
        ))}
      </ul>
      <HiddenContacts
        className="mt-3"
        texts={questions.data.flatMap(({ question, answer }) => [question, answer?.answer ?? null])}
      />
    </>
  )
}
