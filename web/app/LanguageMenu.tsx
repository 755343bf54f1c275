// Ten languages by their own names; a checkmark on the current one.
import { useTranslation } from 'react-i18next'
import { chooseLanguage, currentLanguage } from '../i18n/index.ts'
import { type Language, languages } from '../i18n/languages.ts'
import { DropdownMenu, MenuChoice } from '../ui/DropdownMenu.tsx'
import type { Menu } from './DeferredMenu.tsx'

const LanguageMenu: Menu = ({ trigger }) => {
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
