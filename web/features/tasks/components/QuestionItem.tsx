// One question about a task with its answer, and what this person can do with them.
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { errorText } from '../../../lib/errorText.ts'
import { secondsAhead } from '../../../lib/serverClock.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Quote } from '../../../ui/Quote.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { ReportButton } from '../../../ui/ReportButton.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import type { TaskDetails } from '../api/queries.ts'
import { answerQuestion, changeAnswer, type Question, removeQuestion } from '../api/questions.ts'
import { QuestionForm } from './QuestionForm.tsx'

type QuestionItemProps = {
  question: Question
  task: TaskDetails
  userId: string
  /** A notification led to it. */
  isWanted: boolean
}

export function QuestionItem({ question, task, userId, isWanted }: QuestionItemProps) {
  const { t } = useTranslation()
  const { id, asker_id, asker, answer } = question
  const own = asker_id === userId
  const isGiver = task.task_giver_id === userId
  const name = asker?.full_name ?? t('ui.deletedUser')
  return (
    <li
      aria-current={isWanted || undefined}
      className={classes('py-5 first:pt-0', isWanted && 'scroll-mt-24 border-s-4 border-s-wheat ps-4')}
    >
      <div className="flex items-start gap-3">
        <Avatar name={name} src={asker?.avatar_url ?? null} size="sm" />
        <div className="min-w-0 flex-1">
          <p className="text-sm text-ink-faint">
            <span>{t('applying.questions.by', { name })}</span>
            <span>{' · '}</span>
            <RelativeTime at={question.created_at} />
          </p>
          <p dir="auto" className="mt-0.5 text-lg whitespace-pre-line wrap-anywhere">
            {question.question}
          </p>
          {question.hidden_at && <Hidden kind="question" />}
        </div>
        {own ? (
          !answer && <RemoveButton taskId={task.id} id={id} />
        ) : (
          <ReportButton kind="question" subject={id} compact />
        )}
      </div>
      <div className="ps-12">
        {answer ? (
          <Answer question={question} answer={answer} task={task} isGiver={isGiver} />
        ) : isGiver && (task.status === 'open' || task.status === 'asked') ? (
          <div className="mt-4">
            <QuestionForm
              kind="answer"
              action={answerQuestion(task.id, id, userId)}
              draft={`answer:${id}:${userId}`}
            />
          </div>
        ) : (
          <p className="mt-2 text-sm text-ink-faint">{t('applying.questions.waiting')}</p>
        )}
      </div>
    </li>
  )
}

function Hidden({ kind }: { kind: 'question' | 'answer' }) {
  const { t } = useTranslation()
  return <p className="mt-1 text-sm text-danger">{t(`ui.hidden.${kind}`)}</p>
}

type AnswerProps = {
  question: Question
  answer: NonNullable<Question['answer']>
  task: TaskDetails
  isGiver: boolean
}

function Answer({ question, answer, task, isGiver }: AnswerProps) {
  const { t } = useTranslation()
  const [changing, setChanging] = useState(false)
  const changeableUntil = Date.parse(answer.created_at) + limits.question.changeMinutes * 60_000
  if (changing) {
    return (
      <div className="mt-4">
        <QuestionForm
          kind="answer"
          action={changeAnswer(task.id, question.id)}
          draft={`change:${question.id}`}
          before={answer.answer}
          onEnd={() => setChanging(false)}
        />
      </div>
    )
  }
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <Quote
          by={t('applying.questions.answerBy', { name: task.giver?.full_name ?? t('ui.deletedUser') })}
          at={answer.created_at}
          className="mt-3"
        >
          {answer.answer}
        </Quote>
        {answer.hidden_at && <Hidden kind="answer" />}
        {isGiver && Date.now() - secondsAhead() * 1000 < changeableUntil && (
          <Button variant="ghost" size="sm" className="mt-1 text-sky" onClick={() => setChanging(true)}>
            {t('applying.questions.change')}
          </Button>
        )}
      </div>
      {!isGiver && <ReportButton kind="answer" subject={question.id} compact className="mt-2" />}
    </div>
  )
}

function RemoveButton({ taskId, id }: { taskId: string; id: string }) {
  const { t } = useTranslation()
  const removing = useAction(removeQuestion(taskId, id), {
    onError: (error) => toast.error(t('applying.questions.removeFailed'), { description: errorText(error) }),
  })
  return (
    <Button
      variant="ghost"
      size="icon"
      className="size-8 text-ink-soft"
      title={t('applying.questions.remove')}
      aria-label={t('applying.questions.remove')}
      loading={removing.isPending}
      onClick={() => removing.mutate()}
    >
      <Trash2 aria-hidden />
    </Button>
  )
}
