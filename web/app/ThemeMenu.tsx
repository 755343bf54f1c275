// Light, dark, or as the system has it.
import { useTranslation } from 'react-i18next'
import { useTheme } from '../lib/theme.tsx'
import { THEMES, type Theme } from '../lib/themeChoice.ts'
import type { Deferred } from '../ui/Deferred.tsx'
import { DropdownMenu, MenuChoice } from '../ui/DropdownMenu.tsx'
import { themeIcons } from './themeIcons.ts'

const ThemeMenu: Deferred = ({ trigger }) => {
  const { t } = useTranslation()
  const { theme, setTheme } = useTheme()
  return (
    <DropdownMenu defaultOpen trigger={trigger}>
      <MenuChoice<Theme>
        value={theme}
        onChange={setTheme}
        options={THEMES.map((value) => {
          const ChoiceIcon = themeIcons[value]
          return {
            value,
            label: (
              <>
                <ChoiceIcon aria-hidden />
                <span>{t(`layout.theme.${value}`)}</span>
              </>
            ),
          }
        })}
      />
    </DropdownMenu>
  )
}
export default ThemeMenu
