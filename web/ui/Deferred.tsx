// A button whose menu or popover is loaded when somebody reaches for it, and opens once it is there.
import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react'

/** The default export of such a module: it draws the popup below the button, open at first. */
export type Deferred = ComponentType<{ trigger: ReactElement }>

type DeferredPopupProps = {
  kind?: 'menu' | 'dialog'
  load: () => Promise<{ default: Deferred }>
  children: ReactElement<ComponentProps<'button'>>
}

/** `<DeferredPopup load={() => import('./ThemeMenu.tsx')}><Button>…</Button></DeferredPopup>` */
export function DeferredPopup({ load, kind = 'menu', children: button }: DeferredPopupProps) {
  const [Popup, setPopup] = useState<Deferred | null>(null)
  const byKey = useRef(false)
  useEffect(() => {
    // The menu did not see the key that called it, and would not mark where the focus is.
    if (!Popup || kind !== 'menu' || !byKey.current) return
    const first = () => document.querySelector<HTMLElement>('[role=menu] [role^=menuitem]')
    const frame = requestAnimationFrame(() => first()?.focus())
    return () => cancelAnimationFrame(frame)
  }, [Popup, kind])
  if (Popup) return <Popup trigger={button} />
  // Without a connection it stays closed; the bar below the header says why.
  const prepare = () => load().catch(() => undefined)
  const open = async (key: boolean) => {
    byKey.current = key
    const module = await prepare()
    if (module) setPopup(() => module.default)
  }
  return cloneElement(button, {
    'aria-haspopup': kind,
    'aria-expanded': false,
    onPointerEnter: () => void prepare(),
    onFocus: () => void prepare(),
    // A click without a pointer is a key's.
    onClick: ({ detail }) => void open(detail === 0),
    onKeyDown: ({ key }) => void (kind === 'menu' && key === 'ArrowDown' && open(true)),
  })
}
