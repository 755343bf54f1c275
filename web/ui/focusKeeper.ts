// The keyboard's place: when the focused element is removed or disabled, its nearest remaining ancestor takes the
// focus. It never falls to the top of the page. It is scrolled into view where it has moved out of sight, or where
// the page has become so short that it shows little but its foot.

const THING = 'data-holds-focus'
const DIALOGS = '[role=dialog],[role=alertdialog]'
/** Containers that may take the focus for an element inside, nearest first. */
const AROUND = `[${THING}],${DIALOGS},[role=tabpanel],li,article,section,form,main,header`
/** Toasts go by themselves: who was in one goes back to where they came from. */
const PASSING = '[data-sonner-toaster]'
const REMEMBERED = 10
/** Dialogs and menus give the focus back by themselves a moment after they have closed. */
const DELAY_MS = 100

type Place = {
  element: HTMLElement
  around: HTMLElement[]
  thing: string | null
  /** Height of the page in pixels when this element got the focus. */
  pageHeight: number
}

/** `<li {...holdsFocus(booking.id)}>`: takes the focus for its controls, also where it appears in another place. */
export const holdsFocus = (id: string) => ({ [THING]: id, tabIndex: -1 })

/** Begins to watch; returns the function that ends it. */
export function keepFocus(): () => void {
  const keeper = new FocusKeeper()
  const gone = new MutationObserver(keeper.check)
  gone.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'hidden', 'inert'],
  })
  document.addEventListener('focusin', keeper.remember)
  document.addEventListener('focusout', keeper.check)
  document.addEventListener('pointerdown', keeper.notePointer, true)
  return () => {
    gone.disconnect()
    document.removeEventListener('focusin', keeper.remember)
    document.removeEventListener('focusout', keeper.check)
    document.removeEventListener('pointerdown', keeper.notePointer, true)
    keeper.end()
  }
}

class FocusKeeper {
  /** Where the focus was, the latest first. */
  private places: Place[] = []
  /** The element that has the focus only because the original one is gone. */
  private substitute: HTMLElement | null = null
  /** The reader has clicked outside of every control: there the focus may be nowhere. */
  private leftOnPurpose = false
  private timer: number | undefined

  remember = ({ target }: FocusEvent) => {
    this.leftOnPurpose = false
    if (!(target instanceof HTMLElement) || target === this.substitute) return
    const passing = target.closest(PASSING)
    // A toast returns the focus to the previous element, which may have had it in place of one that is there again by
    // then.
    if (!passing) this.substitute = null
    const around: HTMLElement[] = []
    const outermost = passing ? undefined : target.parentElement?.closest<HTMLElement>(AROUND)
    for (let at = outermost; at; at = at.parentElement?.closest<HTMLElement>(AROUND)) around.push(at)
    const thing = target.closest(`[${THING}]`)?.getAttribute(THING) ?? null
    this.places = [
      { element: target, around, thing, pageHeight: pageHeight() },
      // A part may be gone while its whole has only moved.
      ...this.places.filter(
        (place) => place.element !== target && (place.element.isConnected || place.thing),
      ),
    ]
    this.places.length = Math.min(this.places.length, REMEMBERED)
  }

  notePointer = ({ target }: PointerEvent) => {
    this.leftOnPurpose =
      target instanceof Element && !target.closest('a,button,input,select,textarea,label,[tabindex]')
  }

  check = () => {
    if (this.places.length === 0 || !this.isLost()) return
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.restore(), DELAY_MS)
  }

  end() {
    clearTimeout(this.timer)
  }

  private isLost() {
    return document.activeElement === document.body || document.activeElement === this.substitute
  }

  private restore() {
    if (this.leftOnPurpose || !this.isLost()) return
    const found =
      this.places.map(standIn).find((element) => element !== undefined) ??
      // After a dialog the person has no other position: its opener is forgotten, or gone with its surroundings.
      document.querySelector<HTMLElement>('main')
    if (!found || found === document.activeElement) return
    const [place] = this.places
    if (found === place?.element) return found.focus({ preventScroll: true })
    this.substitute = found
    if (!found.hasAttribute('tabindex')) found.tabIndex = -1
    found.focus({ preventScroll: true })
    const isMoved = found.matches(`[${THING}]`) && !this.places.some(({ around }) => around.includes(found))
    const isShorter = place !== undefined && pageHeight() < place.pageHeight
    if ((isMoved && isOutOfSight(found)) || (isShorter && isAboveFoot(found)))
      found.scrollIntoView({ block: 'nearest' })
  }
}

const pageHeight = () => document.documentElement.scrollHeight

function isOutOfSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  const header = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
  return bottom < header || top > innerHeight
}

/** Whether the page is scrolled to its end, and the content after the element fills most of the screen. */
function isAboveFoot(element: HTMLElement): boolean {
  const atEnd = scrollY > 0 && scrollY + innerHeight >= pageHeight() - 1
  return atEnd && !element.closest(DIALOGS) && element.getBoundingClientRect().bottom < innerHeight / 2
}

/**
 * The element that takes the focus now: the same one if possible, otherwise the thing that it was part of, otherwise
 * its surroundings.
 */
function standIn({ element, around, thing }: Place): HTMLElement | undefined {
  if (canTakeFocus(element)) return element
  const moved = thing && document.querySelector<HTMLElement>(`[${THING}="${CSS.escape(thing)}"]`)
  return [moved, ...around].find((candidate) => candidate && canTakeFocus(candidate)) || undefined
}

function canTakeFocus(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    !element.matches(':disabled') &&
    !element.closest('[inert]') &&
    element.checkVisibility()
  )
}
