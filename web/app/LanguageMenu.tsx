// Ten languages by their own names; a checkmark on the current one.
import { Languages } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { chooseLanguage, currentLanguage } from '../i18n/index.ts'
import { type Language, languages } from '../i18n/languages.ts'
import { Button } from '../ui/Button.tsx'
import { DropdownMenu, MenuChoice } from '../ui/DropdownMenu.tsx'

export function LanguageMenu() {
  const { t } = useTranslation()
  return (
    <DropdownMenu
      trigger={
        <Button variant="ghost" size="icon" aria-label={t('layout.language')}>
          <Languages aria-hidden className="!size-5" />
        </Button>
      }
    >
      <MenuChoice<Language>
        value={currentLanguage()}
        onChange={(language) => void chooseLanguage(language)}
        options={Object.entries(languages).map(([value, label]) => ({
          value: value as Language,
          label,
          lang: value,
        }))}
      />
    </DropdownMenu>
  )
}
