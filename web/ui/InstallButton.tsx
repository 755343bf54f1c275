// Installs the app where the browser offers to, leads to the instructions elsewhere (spec 000 §2 'Install page').
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useInstall, useMobile } from '../lib/install.ts'
import { promptInstall } from '../lib/installOffer.ts'
import { paths } from '../lib/paths.ts'
import { Button, type ButtonProps } from './Button.tsx'

/** Hidden once installed; on desktops shown only with `showOnDesktop`. */
export function InstallButton({
  showOnDesktop = false,
  ...button
}: { showOnDesktop?: boolean } & Pick<ButtonProps, 'variant' | 'size' | 'className'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { standalone, offered } = useInstall()
  const [accepted, setAccepted] = useState(false)
  const mobile = useMobile()
  if (standalone || accepted || !(showOnDesktop || mobile)) return null
  const install = async () => {
    if (offered) setAccepted(await promptInstall())
    else await navigate(paths.install)
  }
  return (
    <Button {...button} onClick={() => void install()}>
      <Download aria-hidden />
      <span>{t('ui.installApp')}</span>
    </Button>
  )
}
