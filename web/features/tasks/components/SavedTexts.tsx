// Saved texts in the form of an application: choose one, save what is written, and rename or remove them.
import { useQuery } from '@tanstack/react-query'
import { BookmarkPlus, ChevronDown, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '../../../ui/DropdownMenu.tsx'
import { savedTextsQuery } from '../api/applicationTexts.ts'
import { ManageTextsDialog, SaveTextDialog } from './SavedTextDialogs.tsx'

type SavedTextsProps = {
  userId: string
  text: string
  onChoose: (text: string) => void
}

export function SavedTexts({ userId, text, onChoose }: SavedTextsProps) {
  const { t } = useTranslation()
  const texts = useQuery(savedTextsQuery(userId)).data ?? []
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null)
  /** Written before a saved text took its place. */
  const [replaced, setReplaced] = useState<string | null>(null)
  const isSaved = texts.some((saved) => saved.text === text.trim())
  const choose = (next: string) => {
    if (text.trim() !== '' && text !== next && !isSaved) setReplaced(text)
    onChoose(next)
  }
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1 empty:hidden">
      {texts.length > 0 && (
        <DropdownMenu
          align="start"
          trigger={
            <Button variant="secondary" size="sm">
              <span>{t('applying.savedTexts.use')}</span>
              <ChevronDown aria-hidden />
            </Button>
          }
        >
          {texts.map((saved) => (
            <MenuItem key={saved.id} onSelect={() => choose(saved.text)} className="max-w-72">
              <span className="flex min-w-0 flex-col">
                <bdi className="truncate font-semibold">{saved.title}</bdi>
                <bdi className="truncate text-sm text-ink-faint">{saved.text}</bdi>
              </span>
            </MenuItem>
          ))}
          <MenuSeparator />
          <MenuItem onSelect={() => setDialog('manage')}>
            <Settings2 aria-hidden />
            <span>{t('applying.savedTexts.manage')}</span>
          </MenuItem>
        </DropdownMenu>
      )}
      {text.trim() !== '' && !isSaved && (
        <Button variant="ghost" size="sm" className="text-sky" onClick={() => setDialog('save')}>
          <BookmarkPlus aria-hidden />
          <span>{t('applying.savedTexts.save')}</span>
        </Button>
      )}
      {replaced !== null && (
        <Button
          variant="ghost"
          size="sm"
          className="text-sky"
          onClick={() => {
            onChoose(replaced)
            setReplaced(null)
          }}
        >
          {t('applying.savedTexts.putBack')}
        </Button>
      )}
      {dialog === 'save' && <SaveTextDialog userId={userId} text={text} onClose={() => setDialog(null)} />}
      {dialog === 'manage' && <ManageTextsDialog userId={userId} onClose={() => setDialog(null)} />}
    </div>
  )
}
