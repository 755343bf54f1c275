// A long list of cards side by side, of which only those near the window are in the document: ten thousand scroll like
// twenty. Rows are as high as their cards, which is known once they are shown (TanStack Virtual).
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useColumns } from './useColumns.ts'

/** Rows beyond the window that are drawn before they are scrolled to. */
const OVERSCAN = 2

/** How high rows were, in pixels: a list that one comes back to is as long as it was left. */
const heights = new Map<string, number>()

type VirtualGridProps<Item> = {
  items: readonly Item[]
  keyOf: (item: Item) => string
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
  /** Before a click on a card does what it does. */
  onClickCapture?: () => void
  children: (item: Item) => ReactNode
}

/** `<VirtualGrid items={tasks} keyOf={({ id }) => id} columns={{ lg: 2 }} gap={16} estimate={…}>{(task) => …}</VirtualGrid>` */
export function VirtualGrid<Item>({
  items,
  keyOf,
  total,
  columns: widths,
  gap,
  estimate,
  ref,
  children,
  ...rest
}: VirtualGridProps<Item>) {
  const list = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => list.current as HTMLElement)
  const columns = useColumns(widths)
  const top = useTop(list)
  const focused = useRef<number>(undefined)
  const keyOfRow = (row: number) => `${columns} ${keyOf(items[row * columns] as Item)}`
  const rows = useWindowVirtualizer<HTMLDivElement>({
    count: Math.ceil(items.length / columns),
    estimateSize: (row) => heights.get(keyOfRow(row)) ?? estimate(columns),
    getItemKey: keyOfRow,
    rangeExtractor: (range) => withFocused(range, focused.current),
    overscan: OVERSCAN,
    gap,
    scrollMargin: top,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: () => window.scrollY,
    useFlushSync: false,
  })
  useEffect(
    () => () => {
      for (const [key, height] of rows.itemSizeCache) heights.set(String(key), height)
    },
    [rows],
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows stand between a list and its items, which <ul> forbids
    <div
      ref={list}
      role="list"
      {...rest}
      onFocus={({ target }) => {
        focused.current = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index)
      }}
      onBlur={() => {
        focused.current = undefined
      }}
      style={{ position: 'relative', height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ index: row, key, start }) => (
        <div
          key={key}
          ref={rows.measureElement}
          data-index={row}
          role="presentation"
          style={{
            position: 'absolute',
            insetInline: 0,
            top: start - top,
            display: 'grid',
            gap,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {items.slice(row * columns, (row + 1) * columns).map((item, column) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={keyOf(item)}
              role="listitem"
              aria-posinset={row * columns + column + 1}
              aria-setsize={total ?? -1}
              className="min-w-0"
            >
              {children(item)}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

/** The rows near the window, and that of the focus with its neighbours: Tab goes on from there wherever one scrolls. */
function withFocused(range: Range, focused: number | undefined): number[] {
  const near = defaultRangeExtractor(range)
  if (focused === undefined || Number.isNaN(focused)) return near
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
