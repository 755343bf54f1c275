// The near edge of the picture: grass, a barbed-wire fence, and the meadowlark singing on its post.

// [x, top, scale]: along the near edge, then away along the road.
const POSTS = [
  [1134, 690, 0.2],
  [1137, 706, 0.32],
  [1142, 736, 0.52],
  [1154, 808, 1.05],
  [1298, 804, 0.95],
  [1440, 796, 1],
] as const

export function FencePost() {
  return (
    <svg viewBox="0 0 1600 900" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <Bluff />
      <path fill="var(--near-deep)" d="M1080 900c60-40 140-52 220-52s200-14 340-30v82Z" />
      <path
        fill="none"
        stroke="var(--wire)"
        strokeWidth="1"
        d="M1154 826 1142 748 1137 713 1133 692M1154 856 1142 766 1137 722 1133 696"
      />
      <g fill="var(--wood)">
        {POSTS.map(([x, top, scale]) => (
          <g key={x} transform={`translate(${x} ${top}) scale(${scale})`}>
            <path d="M-9-4 0-8 9-3 8 110H-8Z" />
            <path fill="var(--wood-shade)" d="M3-7 9-3 8 110H2Z" />
            <path fill="var(--snow)" d="M-11-3Q-6-14 1-13T11-2Q0-6-11-3Z" />
          </g>
        ))}
      </g>
      <g fill="none" stroke="var(--wire)" strokeWidth="1.7">
        <path d="M1154 826Q1226 832 1298 822T1440 814 1640 800" />
        <path d="M1154 856Q1226 860 1298 850T1440 842 1640 828" />
        <path d="m1224 825 5 7m-6 0 7-6m138-9 5 7m-6 0 7-6m158-8 5 7m-6 0 7-6" strokeWidth="1.4" />
      </g>
      <path fill="var(--near)" d="M1040 900c60-24 150-38 260-34s230-4 340-30v64Z" />
      <Grass />
      <Bird />
    </svg>
  )
}

/** A stand of poplars and willows, as every quarter section has one. */
function Bluff() {
  return (
    <g>
      <path
        fill="var(--bluff-shade)"
        d="M1352 778c-12-22 2-44 22-46 0-26 30-40 48-26 8-30 48-36 62-10 16-18 48-14 54 12 18-14 46-4 48 18 20-8 42 4 46 20v42Z"
      />
      <path
        fill="var(--bluff)"
        d="M1336 786c-4-18 14-32 32-26 6-22 38-26 50-6 16-18 48-14 56 10 16-18 44-12 52 8 18-12 44-6 48 12 20-10 48-6 58 10v14c-100 6-200 2-296-22Z"
      />
    </g>
  )
}

function Grass() {
  const tufts = [
    [1092, 894, 0.8],
    [1164, 888, 1],
    [1230, 884, 0.8],
    [1310, 884, 0.9],
    [1426, 876, 1.1],
    [1462, 874, 0.9],
    [1545, 866, 0.9],
    [1590, 862, 1],
  ] as const
  return (
    <g fill="none" stroke="var(--blade)" strokeWidth="2" strokeLinecap="round">
      {tufts.map(([x, y, scale]) => (
        <path
          key={x}
          transform={`translate(${x} ${y}) scale(${scale})`}
          d="M0 0Q-3-20-12-32M3 0Q2-24 0-44M6 0Q10-20 18-34M-4 0Q-10-12-20-18M10 0Q18-10 26-14"
        />
      ))}
    </g>
  )
}

/** Faces the words of the hero, as if they were its song. */
function Bird() {
  return (
    <g transform="translate(1448 792) scale(-1.75 1.75)">
      <g className="song" fill="none" stroke="var(--sign)" strokeWidth="1.6" strokeLinecap="round">
        <path d="M34-60q4 1 6 5" />
        <path d="M37-66q7 2 10 9" />
        <path d="M40-72q10 3 14 13" />
      </g>
      <g transform="translate(-28 -56)">
        <g className="bird">
          <path fill="#f4bc30" d="M41 14C52 19 58 29 55 40 52.5 49.5 42 55 29 54.5 27 43 33 24 41 14Z" />
          <path
            fill="#1c1a1a"
            d="M34 20Q39.5 27 44.8 31.2 49 27.5 51.8 22.6 54.2 26 55.2 29.6 51 36.5 45.4 40.5 39 36 34 28Z"
          />
          <path
            fill="var(--bird-back)"
            d="M58 4.5 46.3 9.300C42 6 35.5 6.8 32 12.5 29.5 17 27.5 21 22.5 26 15 33.5 9.5 42 4 57L10.5 58.8 16.5 53C21 55 26 55.2 30.5 54.5 36 46 38 34 37.5 26 37.5 21.5 40 18 44 16.200L57.5 14 49.5 11.400Z"
          />
          <path fill="#f1e4c6" d="M35 10.500Q40 8 46 10.4 40.5 9.8 36 12Z" />
          <path
            fill="none"
            stroke="var(--bird-streak)"
            strokeWidth="1.1"
            strokeLinecap="round"
            d="M30 22q-3 6-8 11M33 26q-3 9-9 16M34.5 34q-3 8-8 14M25 30q-6 6-9 12M20 40q-4 5-7 11M28 46q-3 4-6 6M33 15q3-5 8-6"
          />
          <path fill="#f1e4c6" d="M4 57 5.5 53.5 12 57.2 10.5 58.800Z" />
          <circle cx="40.3" cy="12.3" r="1.5" fill="#14100c" />
          <circle cx="40.8" cy="11.8" r=".45" fill="#fff" />
        </g>
        <path
          fill="none"
          stroke="#8b6a4a"
          strokeWidth="1.8"
          strokeLinecap="round"
          d="M31 54.500v5.500M36.5 54v6M29 60.500h5M34.5 60.500h5"
        />
      </g>
    </g>
  )
}
