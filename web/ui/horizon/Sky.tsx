// The living sky: sun and long prairie clouds by day, stars and northern lights by night.

const frame = { viewBox: '0 0 1600 900', preserveAspectRatio: 'xMaxYMax slice' } as const

// [x, y, radius]: placed by hand, thinner towards the horizon.
const STARS = [
  [60, 90, 1.3],
  [140, 210, 1],
  [215, 60, 1.7],
  [310, 150, 1],
  [402, 40, 1.2],
  [455, 255, 1],
  [520, 110, 1.6],
  [610, 190, 0.9],
  [668, 50, 1.2],
  [735, 140, 1.1],
  [802, 260, 0.9],
  [850, 70, 1.8],
  [930, 170, 1],
  [985, 40, 1.2],
  [1052, 225, 1],
  [1110, 95, 1.5],
  [1180, 330, 0.9],
  [1225, 50, 1.1],
  [1290, 160, 1.4],
  [1342, 270, 0.9],
  [1385, 85, 1.7],
  [1440, 200, 1],
  [1490, 55, 1.2],
  [1530, 300, 1],
  [1572, 130, 1.4],
  [90, 380, 0.9],
  [260, 340, 1],
  [560, 370, 0.8],
  [720, 420, 0.9],
  [970, 400, 0.8],
  [1290, 430, 0.8],
  [1470, 410, 0.9],
] as const

export function Sky() {
  return (
    <>
      <svg {...frame} className="sun by-day" aria-hidden="true">
        <defs>
          <radialGradient id="sun-glow">
            <stop offset="0" stopColor="#fffaf0" stopOpacity="0.95" />
            <stop offset="0.35" stopColor="#fff6e2" stopOpacity="0.45" />
            <stop offset="1" stopColor="#fff6e2" stopOpacity="0" />
          </radialGradient>
        </defs>
        <circle cx="1330" cy="300" r="330" fill="url(#sun-glow)" />
        <circle cx="1330" cy="300" r="46" fill="#fff1c2" />
      </svg>
      <svg {...frame} className="by-day drift-slow" aria-hidden="true">
        <path fill="var(--cloud)" opacity=".75" d={cloud(640, 566, 1.15)} />
        <path fill="var(--cloud)" opacity=".7" d={cloud(1300, 556, 0.9)} />
        <path fill="var(--cloud)" opacity=".6" d={cloud(180, 540, 0.8)} />
      </svg>
      <svg {...frame} className="by-day drift" aria-hidden="true">
        <Cumulus x={940} y={400} scale={1.4} />
        <Cumulus x={1430} y={180} scale={1.2} />
        <Cumulus x={1120} y={70} scale={0.7} />
      </svg>
      <svg {...frame} className="by-night" aria-hidden="true">
        <g fill="#f8f1dc">
          {STARS.map(([x, y, radius]) => (
            <circle key={`${x},${y}`} cx={x} cy={y} r={radius} opacity={brightness(x, radius)} />
          ))}
        </g>
      </svg>
      <Aurora />
    </>
  )
}

/** Stars are faint behind the words, so that none reads as a full stop. */
function brightness(x: number, radius: number): number {
  if (x < 850) return 0.3
  return radius > 1.3 ? 0.95 : 0.6
}

/** A flat-bottomed streak of cloud, as wide skies have them. */
function cloud(x: number, y: number, scale: number): string {
  const at = (dx: number, dy: number) => `${x + dx * scale} ${y + dy * scale}`
  return `M${at(0, 0)}C${at(40, -14)} ${at(90, -6)} ${at(120, -18)}S${at(220, -30)} ${at(270, -16)}S${at(360, -14)} ${at(400, 0)}Z`
}

/** A fair-weather cloud: heaped above, ruled off below. */
function Cumulus({ x, y, scale }: { x: number; y: number; scale: number }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${scale})`}>
      <path
        fill="var(--cloud)"
        d="M0 0c2-14 18-20 30-15 4-18 26-27 42-17 10-17 38-19 49-2 14-9 32-1 34 13 14-4 29 4 31 21Z"
      />
      <path fill="var(--cloud-shade)" d="M0 0c20-7 42-2 60-6s40-4 56 0 48-4 70 6Z" />
    </g>
  )
}

/** Curtains of light, brightest along the lower hem, rays standing in them, fading out towards the words. */
function Aurora() {
  return (
    <>
      <svg {...frame} className="by-night curtain curtain-late" aria-hidden="true">
        <AuroraPaint />
        <path
          filter="url(#aurora-softer)"
          mask="url(#aurora-fade)"
          fill="url(#aurora-violet)"
          d="M-200 30C200 60 420 0 700 40S1200 40 1900 0V330C1500 280 1400 370 1260 340S1010 240 860 290 600 380 420 300 130 260-200 330Z"
        />
      </svg>
      <svg {...frame} className="by-night curtain" aria-hidden="true">
        <g mask="url(#aurora-fade)">
          <g mask="url(#aurora-rays)">
            <path
              filter="url(#aurora-soft)"
              fill="url(#aurora-green)"
              d="M300 40H1900V480C1760 540 1540 410 1410 440S1240 560 1120 505 960 385 870 420 720 520 560 450 400 420 300 470Z"
            />
          </g>
        </g>
      </svg>
    </>
  )
}

function AuroraPaint() {
  return (
    <defs>
      <linearGradient id="aurora-green" x1="0" y1="60" x2="0" y2="540" gradientUnits="userSpaceOnUse">
        <stop offset="0" stopColor="#7a5fc0" stopOpacity="0" />
        <stop offset="0.3" stopColor="#6a6cc6" stopOpacity="0.3" />
        <stop offset="0.62" stopColor="#3fb58d" stopOpacity="0.55" />
        <stop offset="0.9" stopColor="#8be9b4" stopOpacity="0.85" />
        <stop offset="1" stopColor="#b5f5c8" stopOpacity="0.9" />
      </linearGradient>
      <linearGradient id="aurora-violet" x1="0" y1="0" x2="0" y2="400" gradientUnits="userSpaceOnUse">
        <stop offset="0" stopColor="#9a66c9" stopOpacity="0" />
        <stop offset="0.55" stopColor="#6a6fd0" stopOpacity="0.25" />
        <stop offset="0.9" stopColor="#4fc79a" stopOpacity="0.4" />
        <stop offset="1" stopColor="#4fc79a" stopOpacity="0" />
      </linearGradient>
      <linearGradient
        id="aurora-ray"
        x1="0"
        x2="260"
        gradientUnits="userSpaceOnUse"
        spreadMethod="reflect"
        gradientTransform="rotate(3)"
      >
        <stop offset="0" stopColor="#fff" stopOpacity=".95" />
        <stop offset=".12" stopColor="#fff" stopOpacity=".5" />
        <stop offset=".22" stopColor="#fff" stopOpacity=".9" />
        <stop offset=".41" stopColor="#fff" stopOpacity=".45" />
        <stop offset=".5" stopColor="#fff" stopOpacity="1" />
        <stop offset=".66" stopColor="#fff" stopOpacity=".55" />
        <stop offset=".74" stopColor="#fff" stopOpacity=".8" />
        <stop offset=".9" stopColor="#fff" stopOpacity=".4" />
        <stop offset="1" stopColor="#fff" stopOpacity=".7" />
      </linearGradient>
      <linearGradient id="aurora-edge" x1="420" x2="1180" gradientUnits="userSpaceOnUse">
        <stop offset="0" stopColor="#fff" stopOpacity=".12" />
        <stop offset="1" stopColor="#fff" />
      </linearGradient>
      <mask id="aurora-rays" x="0" y="-100" width="2000" height="900" maskUnits="userSpaceOnUse">
        <rect x="-200" y="-100" width="2300" height="900" fill="url(#aurora-ray)" />
      </mask>
      <mask id="aurora-fade" x="-300" y="-100" width="2400" height="900" maskUnits="userSpaceOnUse">
        <rect x="-300" y="-100" width="2400" height="900" fill="url(#aurora-edge)" />
      </mask>
      <filter id="aurora-soft" x="-10%" y="-10%" width="120%" height="120%">
        <feGaussianBlur stdDeviation="10 9" />
      </filter>
      <filter id="aurora-softer" x="-10%" y="-10%" width="120%" height="120%">
        <feGaussianBlur stdDeviation="22 10" />
      </filter>
    </defs>
  )
}
