// The marks of the networks we link to, drawn plainly in the text colour.
import type { Network } from '../../shared/marketplace.ts'

const marks: Record<Network, string> = {
  Facebook:
    'M13.5 21v-7.5h2.6l.5-3.2h-3.1V8.2c0-1 .4-1.7 1.8-1.7h1.5V3.7c-.4-.1-1.3-.2-2.3-.2-2.5 0-4.2 1.5-4.2 4.2v2.6H7.5v3.2h2.8V21z',
  Instagram:
    'M7.5 3h9A4.5 4.5 0 0 1 21 7.5v9a4.5 4.5 0 0 1-4.5 4.5h-9A4.5 4.5 0 0 1 3 16.5v-9A4.5 4.5 0 0 1 7.5 3Zm0 1.8a2.7 2.7 0 0 0-2.7 2.7v9a2.7 2.7 0 0 0 2.7 2.7h9a2.7 2.7 0 0 0 2.7-2.7v-9a2.7 2.7 0 0 0-2.7-2.7ZM12 7.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8Zm0 1.8a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2Zm4.7-3.1a1.1 1.1 0 1 1 0 2.2 1.1 1.1 0 0 1 0-2.2Z',
  X: 'M3.5 3.5h5.2l4.1 5.7 4.9-5.7h2.1l-6 7 6.7 10h-5.2l-4.5-6.3-5.4 6.3H3.3l6.5-7.6Zm3 1.6 9.7 13.8h1.4L8 5.1Z',
  LinkedIn:
    'M5.3 3.5a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8ZM3.7 9h3.2v11.5H3.7Zm5.3 0h3.1v1.6c.5-.9 1.6-1.9 3.3-1.9 3.5 0 4.1 2.3 4.1 5.2v6.6h-3.2v-5.9c0-1.4 0-3.2-1.9-3.2s-2.2 1.5-2.2 3.1v6H9Z',
}

export function SocialIcon({ network }: { network: Network }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5" fill="currentColor" fillRule="evenodd">
      <path d={marks[network]} />
    </svg>
  )
}
