// The texts of shared/texts for functions: what notifications and e-mails say in a language.
import type { Language } from '../../../shared/language.ts'
import arEmails from '../../../shared/texts/ar/emails.json' with { type: 'json' }
import arNotifications from '../../../shared/texts/ar/notifications.json' with { type: 'json' }
import deEmails from '../../../shared/texts/de/emails.json' with { type: 'json' }
import deNotifications from '../../../shared/texts/de/notifications.json' with { type: 'json' }
import enEmails from '../../../shared/texts/en/emails.json' with { type: 'json' }
import enNotifications from '../../../shared/texts/en/notifications.json' with { type: 'json' }
import esEmails from '../../../shared/texts/es/emails.json' with { type: 'json' }
import esNotifications from '../../../shared/texts/es/notifications.json' with { type: 'json' }
import frEmails from '../../../shared/texts/fr/emails.json' with { type: 'json' }
import frNotifications from '../../../shared/texts/fr/notifications.json' with { type: 'json' }
import hiEmails from '../../../shared/texts/hi/emails.json' with { type: 'json' }
import hiNotifications from '../../../shared/texts/hi/notifications.json' with { type: 'json' }
import idEmails from '../../../shared/texts/id/emails.json' with { type: 'json' }
import idNotifications from '../../../shared/texts/id/notifications.json' with { type: 'json' }
import ptEmails from '../../../shared/texts/pt/emails.json' with { type: 'json' }
import ptNotifications from '../../../shared/texts/pt/notifications.json' with { type: 'json' }
import ruEmails from '../../../shared/texts/ru/emails.json' with { type: 'json' }
import ruNotifications from '../../../shared/texts/ru/notifications.json' with { type: 'json' }
import zhEmails from '../../../shared/texts/zh/emails.json' with { type: 'json' }
import zhNotifications from '../../../shared/texts/zh/notifications.json' with { type: 'json' }
import {
  type KeyOf,
  type NotificationTexts,
  type NotificationWords,
  notificationTextsOf,
  type Texts,
  textsOf,
} from '../../../shared/texts.ts'

/** The words of an e-mail, in addition to those of its notifications. */
export type EmailWords = typeof enEmails

export type EmailTexts = Texts<KeyOf<EmailWords>>

type Files = { emails: EmailWords; notifications: NotificationTexts }

const files: Record<Language, Files> = {
  en: { emails: enEmails, notifications: enNotifications },
  ar: { emails: arEmails, notifications: arNotifications },
  de: { emails: deEmails, notifications: deNotifications },
  es: { emails: esEmails, notifications: esNotifications },
  fr: { emails: frEmails, notifications: frNotifications },
  hi: { emails: hiEmails, notifications: hiNotifications },
  id: { emails: idEmails, notifications: idNotifications },
  pt: { emails: ptEmails, notifications: ptNotifications },
  ru: { emails: ruEmails, notifications: ruNotifications },
  zh: { emails: zhEmails, notifications: zhNotifications },
}

const made = new Map<Language, { emails: EmailTexts; notifications: NotificationWords }>()

/** All that is written in that language. */
export function textsIn(language: Language): { emails: EmailTexts; notifications: NotificationWords } {
  const known = made.get(language)
  if (known) return known
  const { emails, notifications } = files[language]
  const texts = {
    emails: textsOf(language, emails),
    notifications: notificationTextsOf(language, notifications),
  }
  made.set(language, texts)
  return texts
}
