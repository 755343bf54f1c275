// Says that contact details are hidden: while somebody writes, with what others will read, and below a text that has none left.
import { EyeOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CONTACT_MARK, maskContacts } from '../../shared/contacts.ts'
import { classes } from './classes.ts'

/** Below the field in which `text` is written; nothing while it has no contact details. */
export function ContactsWillBeHidden({ text }: { text: string }) {
  const { t } = useTranslation()
  const masked = maskContacts(text)
  return (
    <div role="status">
      {masked !== text && masked.includes(CONTACT_MARK) && (
        <div className="flex items-start gap-2.5 rounded-md bg-wheat-soft p-3 text-sm">
          <EyeOff aria-hidden className="mt-[0.2em] size-[1.1em] shrink-0" />
          <div className="min-w-0">
            <p>{t('ui.contacts.willBe')}</p>
            <p dir="auto" className="mt-1 line-clamp-4 font-semibold whitespace-pre-line wrap-anywhere">
              {masked}
            </p>
          </div>
        </div>
      )}
    </div>
  )
}

/** Below stored texts; nothing if none of them hides anything. */
export function HiddenContacts({ texts, className }: { texts: (string | null)[]; className?: string }) {
  const { t } = useTranslation()
  if (!texts.some((text) => text?.includes(CONTACT_MARK))) return null
  return (
    <p className={classes('flex items-start gap-2 text-sm text-ink-faint', className)}>
      <EyeOff aria-hidden className="mt-[0.25em] size-[1em] shrink-0" />
      <span>{t('ui.contacts.hidden')}</span>
    </p>
  )
}
