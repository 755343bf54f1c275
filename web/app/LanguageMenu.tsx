// Ten languages by their own names; a checkmark on the current one.
import { useTranslation } from 'react-i18next'
import { chooseLanguage, currentLanguage } from '../i18n/index.ts'
import { type Language, languages } from '../i18n/languages.ts'
import type { Deferred } from '../ui/Deferred.tsx'
import { DropdownMenu, MenuChoice } from '../ui/DropdownMenu.tsx'

const LanguageMenu: Deferred = ({ trigger }) => {
  // Marks the other language when it changes.
  useTranslation()
  return (
    <DropdownMenu defaultOpen trigger={trigger}>
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
export default LanguageMenu
