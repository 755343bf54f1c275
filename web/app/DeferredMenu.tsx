// A button in the header whose menu is loaded when somebody reaches for it, and opens once it is there.
import { type ComponentProps, type ComponentType, cloneElement, type ReactElement, useState } from 'react'

/** What the module of a menu exports by default: it draws the menu below the button, open at first. */
export type Menu = ComponentType<{ trigger: ReactElement }>

/** `<DeferredMenu load={() => import('./ThemeMenu.tsx')}><Button>…</Button></DeferredMenu>` */
export function DeferredMenu({
  load,
  children: button,
}: {
  load: () => Promise<{ default: Menu }>
  children: ReactElement<ComponentProps<'button'>>
}) {
  const [Menu, setMenu] = useState<Menu | null>(null)
  if (Menu) return <Menu trigger={button} />
  // Without a connection it stays closed; the bar below the header says why.
  const prepare = () => load().catch(() => undefined)
  const open = async () => {
    const module = await prepare()
    if (module) setMenu(() => module.default)
  }
  return cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: () => void prepare(),
    onFocus: () => void prepare(),
    onClick: () => void open(),
    onKeyDown: ({ key }) => void (key === 'ArrowDown' && open()),
  })
}
