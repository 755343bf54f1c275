// A button whose menu is loaded when somebody reaches for it, and opens once it is there.
import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react'

/** What such a module exports by default: it draws what hangs below the button, open at first. */
export type Deferred = ComponentType<{ trigger: ReactElement }>

type DeferredMenuProps = {
  load: () => Promise<{ default: Deferred }>
  children: ReactElement<ComponentProps<'button'>>
}

/** `<DeferredMenu load={() => import('./ThemeMenu.tsx')}><Button>…</Button></DeferredMenu>` */
export function DeferredMenu({ load, children: button }: DeferredMenuProps) {
  const [Menu, setMenu] = useState<Deferred | null>(null)
  const byKey = useRef(false)
  useEffect(() => {
    // The menu did not see the key that called it, and would not mark where the focus is.
    if (!Menu || !byKey.current) return
    const first = () => document.querySelector<HTMLElement>('[role=menu] [role^=menuitem]')
    const frame = requestAnimationFrame(() => first()?.focus())
    return () => cancelAnimationFrame(frame)
  }, [Menu])
  if (Menu) return <Menu trigger={button} />
  // Without a connection it stays closed; the bar below the header says why.
  const prepare = () => load().catch(() => undefined)
  const open = async (key: boolean) => {
    byKey.current = key
    const module = await prepare()
    if (module) setMenu(() => module.default)
  }
  return cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: () => void prepare(),
    onFocus: () => void prepare(),
    // A click without a pointer is a key's.
    onClick: ({ detail }) => void open(detail === 0),
    onKeyDown: ({ key }) => void (key === 'ArrowDown' && open(true)),
  })
}
