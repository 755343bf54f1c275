// A long list of cards side by side, of which only those near the window are in the document: ten thousand scroll like
// twenty. Rows are as high as their cards, which is known once they are shown (TanStack Virtual).
import {
  defaultRangeExtractor,
  measureElement,
  type Range,
  useWindowVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual'
import {
  type ReactNode,
  type Ref,
  startTransition,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useColumns } from './useColumns.ts'

/** Rows beyond the window that are drawn before they are scrolled to. */
const OVERSCAN = 2

/** Pixels at the top of the window that the header covers, and a gap. */
const HEADER_HEIGHT = 80

/** How high rows were, in pixels: a list that one comes back to is as long as it was left. */
const heights = new Map<string, number>()

type VirtualGridProps<Item> = {
  items: readonly Item[]
  /** How many there are in all, as far as it is known. */
  total?: number | undefined
  /** Side by side from these widths on, as Tailwind names them; one below. */
  columns: { sm?: number; lg?: number }
  /** Pixels between cards. */
  gap: number
  /** Pixels that a row is about as high as, by the number of columns. */
  estimate: (columns: number) => number
  ref?: Ref<HTMLElement>
  className?: string
  /** The id of the current item: marked with aria-current, and scrolled to when it becomes that. */
  current?: string | undefined
  /** Draws the cards one by one, each in a separate task; space is reserved for those that follow. */
  gradual?: boolean | undefined
  /** Before a click on a card does what it does. */
  onClickCapture?: () => void
  children: (item: Item) => ReactNode
}

/** `<VirtualGrid items={tasks} columns={{ lg: 2 }} gap={16} estimate={…}>{(task) => …}</VirtualGrid>` */
export function VirtualGrid<Item extends { id: string | null }>({
  items,
  total,
  columns: widths,
  gap,
  estimate,
  ref,
  className,
  current,
  gradual = false,
  onClickCapture,
  children,
}: VirtualGridProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  useImperativeHandle(ref, () => list.current as HTMLElement)
  const columns = useColumns(widths)
  const top = useTop(list)
  const focused = useRef<Focused>({ key: '', stays: false })
  const rows = useRows(items, { columns, gap, estimated: estimate(columns), top, focused })
  useShownCurrent(rows, items, { columns, current })
  const shown = rows.getVirtualItems()
  const drawn = useDrawnCards(gradual, shown.length * columns)
  const { tracks, trackOf } = layTracks(shown, { drawn: drawn / columns, top, whole: rows.getTotalSize() })
  return (
    <ul
      ref={list}
      onClickCapture={onClickCapture}
      onFocus={({ target }) => {
        // A panel that a card has opened is elsewhere in the document, and is the card's all the same.
        const { key = focused.current.key } = target.closest<HTMLElement>('li[data-key]')?.dataset ?? {}
        focused.current = { key, stays: true }
      }}
      onBlur={() => {
        focused.current.stays = false
      }}
      className={className}
      style={{
        display: 'grid',
        columnGap: gap,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        gridTemplateRows: tracks.join(' '),
        // The virtualizer adjusts the scroll position; the browser would do it a second time.
        overflowAnchor: 'none',
      }}
    >
      {shown.flatMap(({ index: row }, place) =>
        items.slice(row * columns, (row + 1) * columns).map((item, column) => {
          const isDrawn = place * columns + column < drawn
          // Keyed by what it shows: one that moves to another row or column, as when a phone is turned, stays as it is.
          return (
            <li
              key={item.id}
              ref={column === 0 ? rows.measureElement : undefined}
              data-index={row}
              data-key={item.id}
              aria-current={item.id === current || undefined}
              aria-posinset={row * columns + column + 1}
              aria-setsize={total ?? -1}
              // Hidden until then: it is in its place once the cards above are drawn, so nobody sees it move.
              data-undrawn={isDrawn ? undefined : ''}
              style={{
                gridRow: trackOf(row),
                gridColumn: column + 1,
                visibility: isDrawn ? undefined : 'hidden',
              }}
            >
              {isDrawn && children(item)}
            </li>
          )
        }),
      )}
    </ul>
  )
}

/** The card with the focus, by the id of its item; `stays` while it has it. */
type Focused = { key: string; stays: boolean }

type Layout = {
  columns: number
  gap: number
  /** Pixels that a row is about as high as. */
  estimated: number
  /** Pixels from the top of the document to the list. */
  top: number
  focused: { readonly current: Focused }
}

/** The virtualizer of the rows. */
function useRows(items: readonly { id: string | null }[], { columns, gap, estimated, top, focused }: Layout) {
  // First what is seen, in as little time as can be.
  const [overscan, setOverscan] = useState(0)
  useEffect(() => startTransition(() => setOverscan(OVERSCAN)), [])
  // All rows below one that is measured are reckoned anew: by keys that are made already.
  const keys = useMemo(() => keysOfRows(items, columns), [items, columns])
  const keyOfRow = useCallback((row: number) => keys[row] ?? '', [keys])
  return useWindowVirtualizer<HTMLLIElement>({
    count: keys.length,
    estimateSize: (row) => heights.get(keyOfRow(row)) ?? estimated,
    getItemKey: keyOfRow,
    rangeExtractor: (range) => {
      const { key, stays } = focused.current
      const at = stays ? items.findIndex(({ id }) => id === key) : -1
      return withFocused(range, Math.floor(at / columns))
    },
    measureElement: (element, entry, virtualizer) => {
      const height = measureElement(element, entry, virtualizer)
      heights.set(keyOfRow(Number(element.dataset.index)), height)
      return height
    },
    overscan,
    gap,
    scrollMargin: top,
    // Below the header.
    scrollPaddingStart: HEADER_HEIGHT,
    scrollPaddingEnd: gap,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: () => window.scrollY,
    useFlushSync: false,
  })
}

/** Scrolls to the row of the item that becomes the current one. */
function useShownCurrent(
  rows: Virtualizer<Window, HTMLLIElement>,
  items: readonly { id: string | null }[],
  { columns, current }: { columns: number; current: string | undefined },
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another current item scrolls
  useEffect(() => {
    const at = current === undefined ? -1 : items.findIndex(({ id }) => id === current)
    if (at >= 0) rows.scrollToIndex(Math.floor(at / columns))
  }, [current])
}

/** How many of the cards near the window are drawn. */
function useDrawnCards(gradual: boolean, shown: number): number {
  const [drawn, setDrawn] = useState(gradual ? 0 : Number.POSITIVE_INFINITY)
  useEffect(() => {
    if (drawn < shown) startTransition(() => setDrawn(drawn + 1))
  }, [drawn, shown])
  return drawn
}

/** Keys of rows that differ for windows of another width. */
function keysOfRows(items: readonly { id: string | null }[], columns: number): string[] {
  return items.filter((_, item) => item % columns === 0).map(({ id }) => `${columns} ${id}`)
}

type Shown = { index: number; start: number; end: number }

type Extent = { drawn: number; top: number; whole: number }

/** The tracks of the grid: one for each row that is shown, and one as high as what is left out before, between and after. */
function layTracks(shown: readonly Shown[], { drawn, top, whole }: Extent) {
  const tracks: string[] = []
  const places = new Map<number, number>()
  let reached = 0
  const leaveOut = (until: number) => tracks.push(`${Math.max(0, until - reached)}px`)
  for (const { index, start, end } of shown) {
    leaveOut(start - top)
    places.set(index, tracks.push(places.size < drawn ? 'auto' : `${end - start}px`))
    reached = end - top
  }
  leaveOut(whole)
  return { tracks, trackOf: (row: number) => places.get(row) }
}

/** The rows near the window, and that of the focus with its neighbours: Tab goes on from there wherever one scrolls. */
function withFocused(range: Range, focused: number): number[] {
  const near = defaultRangeExtractor(range)
  if (focused < 0) return near
  const kept = [focused - 1, focused, focused + 1].filter((row) => row >= 0 && row < range.count)
  return [...new Set([...near, ...kept])].sort((a, b) => a - b)
}

/** Pixels from the top of the document to the list; what is above it may come and go. */
function useTop(list: { current: HTMLElement | null }): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [list])
  return top
}
