// A search that is answered while it is typed: no button, its label in the field.
import { Search } from 'lucide-react'
import { classes } from './classes.ts'
import { Input } from './Input.tsx'

type SearchFieldProps = {
  label: string
  text: string
  onType: (text: string) => void
  size?: 'md' | 'lg'
}

export function SearchField({ label, text, onType, size = 'md' }: SearchFieldProps) {
  return (
    <search
      className={classes('relative block', size === 'lg' ? 'mb-8 max-w-xl max-sm:mb-0.5' : 'mb-5 max-w-md')}
    >
      <Search
        aria-hidden
        className="pointer-events-none absolute start-3.5 top-1/2 size-5 -translate-y-1/2 text-ink-faint"
      />
      <Input
        type="search"
        enterKeyHint="search"
        maxLength={200}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => onType(event.target.value)}
        className={classes('ps-11', size === 'lg' && 'sm:h-12')}
      />
    </search>
  )
}
