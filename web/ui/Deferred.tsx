// A button whose menu or panel is loaded when somebody reaches for it, and opens once it is there.
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
export type Deferred<Props = object> = ComponentType<Props & { trigger: ReactElement }>

type DeferredPanelProps<Props> = {
  load: () => Promise<{ default: Deferred<Props> }>
  popup: 'menu' | 'dialog'
  /** What the module needs beyond the button. */
  props?: Props
  children: ReactElement<ComponentProps<'button'>>
}

/** `<DeferredPanel popup="menu" load={() => import('./ThemeMenu.tsx')}><Button>…</Button></DeferredPanel>` */
export function DeferredPanel<Props extends object>({
  load,
  popup,
  props,
  children: button,
}: DeferredPanelProps<Props>) {
  const [Panel, setPanel] = useState<Deferred<Props> | null>(null)
  const byKey = useRef(false)
  useEffect(() => {
    // The menu did not see the key that called it, and would not mark where the focus is.
    if (!Panel || popup !== 'menu' || !byKey.current) return
    const first = () => document.querySelector<HTMLElement>('[role=menu] [role^=menuitem]')
    const frame = requestAnimationFrame(() => first()?.focus())
    return () => cancelAnimationFrame(frame)
  }, [Panel, popup])
  if (Panel) return <Panel {...(props as Props)} trigger={button} />
  // Without a connection it stays closed; the bar below the header says why.
  const prepare = () => load().catch(() => undefined)
  const open = async (key: boolean) => {
    byKey.current = key
    const module = await prepare()
    if (module) setPanel(() => module.default)
  }
  return cloneElement(button, {
    'aria-haspopup': popup,
    'aria-expanded': false,
    onPointerEnter: () => void prepare(),
    onFocus: () => void prepare(),
    // A click without a pointer is a key's.
    onClick: ({ detail }) => void open(detail === 0),
    onKeyDown: ({ key }) => void (popup === 'menu' && key === 'ArrowDown' && open(true)),
  })
}
