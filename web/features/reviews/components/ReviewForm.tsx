// Stars and a line about the other side of a booking. The stars and the text are kept in this tab until the review is
// sent.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { formatDate, formatNumber } from '../../../lib/format.ts'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { StarChoice } from '../../../ui/StarChoice.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { writeReview } from '../api/actions.ts'
import { type ReviewableBooking, reviewing, type Side } from '../api/queries.ts'
import { characters, reviewSchema } from '../schema.ts'

type ReviewFormProps = {
  booking: ReviewableBooking
  side: Side
  /** In a separate dialog, which opens on the stars: shows the line and the button before they are chosen, too. */
  whole?: boolean
}

export function ReviewForm({ booking, side, whole = false }: ReviewFormProps) {
  const { t } = useTranslation()
  const { userId, otherName, until } = reviewing(booking, side)
  const name = otherName ?? t('ui.deletedUser')
  const errorOf = useErrorText()
  const form = useZodForm(reviewSchema, {
    defaultValues: { rating: '', comment: '' },
    draft: `review:${booking.id}:${userId}`,
  })
  const rating = useWatch({ control: form.control, name: 'rating' })
  const comment = useWatch({ control: form.control, name: 'comment' })
  const sending = useAction(writeReview(booking.id, userId), { onSuccess: form.dropDraft })

  return (
    <Form form={form} submission={sending} onSubmit={sending.mutate} className="flex flex-col gap-3">
      <StarChoice
        legend={t('reviews.stars')}
        chosen={rating ?? ''}
        labelOf={(count) => t(`reviews.star.${count}`)}
        wordOf={(count) => t(`reviews.word.${count}`)}
        error={errorOf(form.formState.errors.rating)}
        opensHere={whole}
        {...form.register('rating')}
      />
      {(whole || rating || comment) && (
        <>
          <form.Field
            name="comment"
            label={t('reviews.comment')}
            hint={t('reviews.commentHint', {
              count: formatNumber(characters(comment)),
              max: formatNumber(limits.reviewComment.max),
              name,
            })}
            optional
          >
            <Textarea rows={2} className="max-h-60 min-h-16" />
          </form.Field>
          <SubmissionError />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SubmitButton>{t('reviews.send')}</SubmitButton>
            {until && (
              <p className="min-w-0 flex-1 basis-60 text-sm text-ink-faint">
                {t('reviews.blind', { name, date: formatDate(until) })}
              </p>
            )}
          </div>
        </>
      )}
    </Form>
  )
}
