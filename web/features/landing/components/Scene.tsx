// Small drawings over the popular categories, in the manner of the hero: flat shapes, few colours, both themes.
import type { ReactNode } from 'react'

const scenes: Record<'snow' | 'cleaning' | 'moving' | 'labor', { ground: string; drawing: ReactNode }> = {
  snow: {
    ground: 'bg-sky-soft',
    drawing: (
      <>
        <path className="fill-paper" d="M0 128C50 96 96 128 140 112s80-22 180 6v60H0Z" />
        <path className="stroke-ink" strokeWidth="7" strokeLinecap="round" d="m150 108 46-78" />
        <path className="stroke-ink" strokeWidth="7" strokeLinecap="round" d="m184 22 24 14" />
        <path fill="#b4492f" d="m134 92 32 19c-4 18-14 32-32 39l-28-17c2-17 12-32 28-41Z" />
        <path className="fill-paper" d="M0 150c40-14 80-20 128-14s110-12 192 8v36H0Z" />
        <path
          className="stroke-sky"
          strokeWidth="3"
          strokeLinecap="round"
          d="M58 34v20m-9-15 18 10m0-10-18 10M262 52v16m-7-12 14 8m0-8-14 8M242 22v10m-4-8 8 6m0-6-8 6M98 66v10m-4-8 8 6m0-6-8 6"
        />
      </>
    ),
  },
  cleaning: {
    ground: 'bg-success-soft',
    drawing: (
      <>
        <path className="fill-paper" d="M0 150h320v30H0Z" />
        <path
          className="fill-surface stroke-line-strong"
          strokeWidth="3"
          d="M34 24h92v84H34ZM80 24v84M34 64h92"
        />
        <path
          className="stroke-sky"
          strokeWidth="3"
          strokeLinecap="round"
          d="m44 52 16-16m-10 22 8-8M92 96l18-18m-8 20 10-10"
        />
        <path className="stroke-ink" strokeWidth="6" strokeLinecap="round" d="M246 20 228 92" />
        <path fill="#f4bc30" d="M214 88h30l10 44c-14 6-40 6-54 0Z" />
        <path stroke="#b98315" strokeWidth="3" strokeLinecap="round" d="m220 104-4 26m13-26v28m9-28 5 26" />
        <path fill="#2f7fb0" d="M150 104h54l-8 56h-38Z" />
        <path fill="#256893" d="M186 104h18l-8 56h-14Z" />
        <path className="stroke-ink" fill="none" strokeWidth="3" d="M152 104c2-26 48-26 50 0" />
        <g className="fill-surface stroke-sky" strokeWidth="2">
          <circle cx="164" cy="100" r="9" />
          <circle cx="180" cy="96" r="11" />
          <circle cx="194" cy="101" r="7" />
          <circle cx="190" cy="68" r="5" />
          <circle cx="172" cy="56" r="4" />
        </g>
      </>
    ),
  },
  moving: {
    ground: 'bg-wheat-soft',
    drawing: (
      <>
        <path className="fill-paper" d="M0 148h320v32H0Z" />
        <path fill="#8b7257" d="M58 88c0-10 8-14 14-14h62c8 0 14 4 14 14v26H58Z" />
        <path fill="#a98b6b" d="M48 92c10-4 18 2 18 10v12H48Zm110 0c-10-4-18 2-18 10v12h18Z" />
        <path fill="#a98b6b" d="M66 98h36v14H66Zm38 0h36v14h-36Z" />
        <path fill="#b4492f" d="M36 112h130V84c0-6 4-9 9-9h40c6 0 10 3 13 8l16 26 30 7c6 2 8 6 8 11v19H36Z" />
        <path className="fill-sky-soft" d="M178 85h33c4 0 6 2 8 5l12 20h-53Z" />
        <path fill="#8f3723" d="M36 130h246v16H36Z" />
        <path fill="#fdf3dd" d="M272 120h9c2 2 2 4 2 7h-11Z" />
        <g className="fill-ink">
          <circle cx="86" cy="146" r="20" />
          <circle cx="238" cy="146" r="20" />
        </g>
        <g className="fill-paper">
          <circle cx="86" cy="146" r="8" />
          <circle cx="238" cy="146" r="8" />
        </g>
        <path
          className="stroke-ink"
          fill="none"
          strokeWidth="2.5"
          d="M60 74c30-16 70-16 90 2"
          strokeDasharray="5 4"
        />
      </>
    ),
  },
  labor: {
    ground: 'bg-sunken',
    drawing: (
      <>
        <path className="fill-paper" d="M0 150h320v30H0Z" />
        <path fill="#8b7257" d="M18 62h16v92H18Zm42-6h16v98H60Z" />
        <path fill="#6b5642" d="M8 78h84v11H8Zm0 36h84v11H8Z" />
        <path fill="#6d5233" d="M128 92c16-30 40-40 58-36 22-8 46 8 56 36Z" />
        <path fill="#5a432a" d="M190 60c20-6 44 8 52 32h-44c4-10 0-24-8-32Z" />
        <path
          className="stroke-ink"
          fill="none"
          strokeWidth="6"
          strokeLinecap="round"
          strokeLinejoin="round"
          d="m296 78-44 18-22 56m-26-22 16 22"
        />
        <path fill="#23673f" d="M114 88h144l-28 44h-78Z" />
        <path fill="#1b5232" d="M226 88h32l-28 44h-24Z" />
        <circle cx="144" cy="146" r="18" className="fill-ink" />
        <circle cx="144" cy="146" r="7" className="fill-paper" />
        <path className="stroke-ink" strokeWidth="5" strokeLinecap="round" d="m144 146 12-16" />
      </>
    ),
  },
}

export function Scene({ name }: { name: keyof typeof scenes }) {
  const { ground, drawing } = scenes[name]
  return (
    <svg viewBox="0 0 320 180" aria-hidden="true" className={`w-full ${ground}`}>
      {drawing}
    </svg>
  )
}
