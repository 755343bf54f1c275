// The dialog with a CAPTCHA: the provider's widget, and the way back.
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { captchaPrompt, showCaptcha } from '../lib/captcha.ts'
import type { CaptchaConfig } from '../lib/config.ts'
import { useTheme } from '../lib/theme.tsx'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { PANEL_CLASSES, SCRIM_CLASSES, widths } from './Dialog.tsx'
import { useReturnFocus } from './returnFocus.ts'
import { YIELDS_TO_TOASTS } from './toastRoom.ts'

const NAMES = { hcaptcha: 'hCaptcha', turnstile: 'Cloudflare Turnstile' }

/**
 * Not modal: a challenge that the provider draws outside of it must take clicks and keys, and a click there does not
 * close it.
 */
export default function CaptchaDialog({ captcha }: { captcha: CaptchaConfig }) {
  const { t } = useTranslation()
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open modal={false} onOpenChange={captchaPrompt.giveUp}>
      <Radix.Portal>
        <div data-state="open" className={SCRIM_CLASSES} />
        <Radix.Content
          className={classes(PANEL_CLASSES, widths.sm)}
          {...returnFocus}
          {...YIELDS_TO_TOASTS}
          onInteractOutside={(event) => event.preventDefault()}
        >
          <div className="overflow-y-auto px-5 py-5">
            <Radix.Title className="text-xl">{t('ui.captchaTitle')}</Radix.Title>
            <Radix.Description className="mt-2 text-ink-soft">
              {t('ui.captchaBody', { provider: NAMES[captcha.provider] })}
            </Radix.Description>
            <Widget captcha={captcha} />
          </div>
          <Button variant="secondary" className="m-5 mt-0 sm:self-end" onClick={captchaPrompt.giveUp}>
            {t('ui.cancel')}
          </Button>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** As high as both providers' widgets, so that nothing moves when they come. */
function Widget({ captcha }: { captcha: CaptchaConfig }) {
  const { i18n } = useTranslation()
  const { resolved: theme } = useTheme()
  const place = useRef<HTMLDivElement>(null)
  const look = useRef({ theme, language: i18n.language })
  useEffect(() => {
    let gone = false
    let takeAway: (() => void) | undefined
    showCaptcha(captcha, place.current as HTMLDivElement, look.current).then(
      (remove) => {
        if (gone) remove()
        else takeAway = remove
      },
      () => !gone && captchaPrompt.fail(),
    )
    return () => {
      gone = true
      takeAway?.()
    }
  }, [captcha])
  return <div ref={place} className="mt-4 flex min-h-20 justify-center" />
}
