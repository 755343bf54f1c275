// Dialogs of saved application texts: name the one that is saved, and rename or remove them.
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../../shared/text.ts'
import { errorText } from '../../../lib/errorText.ts'
import { z } from '../../../lib/zod.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { removeText, renameText, type SavedText, savedTextsQuery, saveText } from '../api/applicationTexts.ts'
import { characters } from '../schema.ts'

const schema = z.object({
  title: z
    .string()
    .overwrite(trimmed)
    .refine((title) => visibleLength(title) >= 1, { error: 'applying.savedTexts.nameMissing', abort: true })
    .refine((title) => characters(title) <= limits.applicationTexts.title, 'applying.savedTexts.nameTooLong'),
})

type SaveTextDialogProps = { userId: string; text: string; onClose: () => void }

export function SaveTextDialog({ userId, text, onClose }: SaveTextDialogProps) {
  const { t } = useTranslation()
  // The first words, which people mostly recognise it by.
  const [proposal] = useState(() => [...(text.trim().split('\n')[0] ?? '')].slice(0, 40).join('').trim())
  const form = useZodForm(schema, { defaultValues: { title: proposal } })
  const save = saveText(userId)
  const saving = useAction(
    { ...save, run: ({ title }: { title: string }) => save.run({ title, text }) },
    {
      onSuccess: () => {
        toast.success(t('applying.savedTexts.saved'))
        onClose()
      },
    },
  )
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !saving.isPending && onClose()}
      title={t('applying.savedTexts.save')}
      description={
        <p dir="auto" className="line-clamp-3 whitespace-pre-line wrap-anywhere">
          {text}
        </p>
      }
      confirmLabel={t('applying.savedTexts.confirm')}
      onConfirm={form.handleSubmit(saving.mutate)}
      loading={saving.isPending}
    >
      <Form form={form} submission={saving} onSubmit={saving.mutate}>
        <form.Field
          name="title"
          label={t('applying.savedTexts.name')}
          hint={t('applying.savedTexts.nameHint')}
          required
        >
          <Input />
        </form.Field>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

export function ManageTextsDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { t } = useTranslation()
  const texts = useQuery(savedTextsQuery(userId))
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('applying.savedTexts.title')}
      description={t('applying.savedTexts.lead', { count: limits.applicationTexts.count })}
      footer={<Button onClick={onClose}>{t('applying.savedTexts.close')}</Button>}
    >
      {texts.isLoadingError ? (
        <ErrorState error={texts.error} onRetry={texts.refetch} />
      ) : texts.data?.length === 0 ? (
        <p className="text-ink-soft">{t('applying.savedTexts.none')}</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {texts.data?.map((saved) => (
            <TextRow key={saved.id} saved={saved} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function TextRow({ saved }: { saved: SavedText }) {
  const { t } = useTranslation()
  const [renaming, setRenaming] = useState(false)
  const removing = useAction(removeText(saved.id), {
    onError: (error) => toast.error(t('applying.savedTexts.failed'), { description: errorText(error) }),
  })
  const rename = t('applying.savedTexts.rename', { name: saved.title })
  const remove = t('applying.savedTexts.remove', { name: saved.title })
  return (
    <li className="py-3">
      {renaming ? (
        <RenameForm saved={saved} onEnd={() => setRenaming(false)} />
      ) : (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <p className="font-semibold wrap-anywhere">
              <bdi>{saved.title}</bdi>
            </p>
            <p dir="auto" className="line-clamp-2 text-sm text-ink-soft wrap-anywhere">
              {saved.text}
            </p>
          </div>
          <Button
            variant="ghost"
            size="icon"
            title={rename}
            aria-label={rename}
            onClick={() => setRenaming(true)}
          >
            <Pencil aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            title={remove}
            aria-label={remove}
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      )}
    </li>
  )
}

function RenameForm({ saved, onEnd }: { saved: SavedText; onEnd: () => void }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, { defaultValues: { title: saved.title } })
  const renaming = useAction(renameText(saved.id), { onSuccess: onEnd })
  return (
    <Form form={form} submission={renaming} className="flex flex-col gap-3" onSubmit={renaming.mutate}>
      <form.Field name="title" label={t('applying.savedTexts.name')} required>
        <Input autoFocus />
      </form.Field>
      <SubmissionError />
      <div className="flex gap-3">
        <SubmitButton size="sm">{t('applying.savedTexts.confirm')}</SubmitButton>
        <Button variant="ghost" size="sm" onClick={onEnd}>
          {t('ui.cancel')}
        </Button>
      </div>
    </Form>
  )
}
