// Light, dark, or as the system has it.
import { Monitor, Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Theme, themes, useTheme } from '../lib/theme.tsx'
import { Button } from '../ui/Button.tsx'
import { DropdownMenu, MenuChoice } from '../ui/DropdownMenu.tsx'

export const themeIcons = { light: Sun, dark: Moon, system: Monitor } as const

export function ThemeMenu() {
  const { t } = useTranslation()
  const { theme, resolved, setTheme } = useTheme()
  const Icon = themeIcons[resolved]
  return (
    <DropdownMenu
      trigger={
        <Button variant="ghost" size="icon" aria-label={t('layout.theme.label')}>
          <Icon aria-hidden className="!size-5" />
        </Button>
      }
    >
      <MenuChoice<Theme>
        value={theme}
        onChange={setTheme}
        options={themes.map((value) => {
          const ChoiceIcon = themeIcons[value]
          return {
            value,
            label: (
              <>
                <ChoiceIcon aria-hidden />
                {t(`layout.theme.${value}`)}
              </>
            ),
          }
        })}
      />
    </DropdownMenu>
  )
}
