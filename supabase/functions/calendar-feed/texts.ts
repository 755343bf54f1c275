// The words of a calendar, apart from texts that people wrote.
import type { Language } from '../../../shared/language.ts'
import ar from '../../../shared/texts/ar/calendar.json' with { type: 'json' }
import de from '../../../shared/texts/de/calendar.json' with { type: 'json' }
import en from '../../../shared/texts/en/calendar.json' with { type: 'json' }
import es from '../../../shared/texts/es/calendar.json' with { type: 'json' }
import fr from '../../../shared/texts/fr/calendar.json' with { type: 'json' }
import hi from '../../../shared/texts/hi/calendar.json' with { type: 'json' }
import id from '../../../shared/texts/id/calendar.json' with { type: 'json' }
import pt from '../../../shared/texts/pt/calendar.json' with { type: 'json' }
import ru from '../../../shared/texts/ru/calendar.json' with { type: 'json' }
import zh from '../../../shared/texts/zh/calendar.json' with { type: 'json' }
import { type KeyOf, type Texts, textsOf } from '../../../shared/texts.ts'

const files: Record<Language, typeof en> = { ar, de, en, es, fr, hi, id, pt, ru, zh }

const made = new Map<Language, Texts<KeyOf<typeof en>>>()

/** In that language. */
export function calendarTextsIn(language: Language): Texts<KeyOf<typeof en>> {
  const texts = made.get(language) ?? textsOf(language, files[language])
  made.set(language, texts)
  return texts
}
