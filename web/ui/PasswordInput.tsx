// A password input whose text can be shown.
import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classes } from './classes.ts'
import { Input } from './Input.tsx'

/** `<PasswordInput autoComplete="current-password" {...register('password')} />` */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <div className="relative">
      <Input type={shown ? 'text' : 'password'} className={classes('pe-12', className)} {...rest} />
      <button
        type="button"
        onClick={() => setShown(!shown)}
        aria-label={shown ? t('ui.hidePassword') : t('ui.showPassword')}
        className="absolute inset-y-0 end-0 grid w-11 place-items-center rounded-md text-ink-soft hover:text-ink"
      >
        <Icon aria-hidden className="size-5" />
      </button>
    </div>
  )
}
