// The flat land below the sky: fields to the vanishing point, a grain elevator, a farmyard, a gravel road.

const HORIZON_Y = 640
/** Where the road, the rows and the power line all meet. */
const vanishing = { x: 1134, y: HORIZON_Y - 10 }

/** The field before the horizon; beyond the frame it goes on, for pictures that are wider than high. */
const FIELD = 'M-3200 664H0c300-8 520-10 760-8s560-2 840-6v250H-3200Z'

/** Seeded rows as they look from the road: wedges that narrow to the vanishing point. */
const rows = Array.from({ length: 58 }, (_, row) => {
  const left = -5600 + row * 220
  return `M${vanishing.x} ${vanishing.y}L${left} 900H${left + 110}Z`
})

export function Land() {
  return (
    <svg viewBox="0 0 1600 900" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <path
        fill="var(--farther)"
        d="M-3200 632H0c60-6 120 2 190-3s150-6 230 0 170-4 260-1 200-6 300-2 180-4 290 0 210-5 330-1V650H-3200Z"
      />
      <path
        fill="var(--far)"
        d="M-3200 638H0c20-10 34-2 52-6s30-8 48 1 60 2 90 2l60 2h160c20-8 44-6 62-1l90 1c30-7 60-8 84-1h330c24-9 50-8 72-2h120c30-7 70-9 104-1l80 1 60-5 188 6v14H-3200Z"
      />
      <rect x="-3200" y={HORIZON_Y} width="4800" height="260" fill="var(--field-far)" />
      <path fill="var(--field-b)" d={FIELD} />
      <clipPath id="crop">
        <path d={FIELD} />
      </clipPath>
      <g clipPath="url(#crop)">
        <g fill="var(--field-a)">
          {rows.map((wedge) => (
            <path key={wedge} d={wedge} />
          ))}
        </g>
        <path
          fill="var(--field-c)"
          d="M-3200 664H0c300-8 520-10 760-8s560-2 840-6v9c-280 4-600 6-840 6S300 668 0 676H-3200Z"
        />
      </g>
      <Farmyard />
      <Road />
      <Elevator />
      <Poles />
    </svg>
  )
}

function Road() {
  return (
    <>
      <path fill="var(--road-edge)" d="M1130 642C1066 690 900 766 590 900H1050C1096 800 1134 700 1140 642Z" />
      <path fill="var(--road)" d="M1132 642C1074 690 934 770 650 900H1004C1078 790 1128 700 1138 642Z" />
    </>
  )
}

/** The prairie's cathedral. */
function Elevator() {
  return (
    <g transform="translate(92 0)">
      <path fill="var(--wall)" d="M1288 646v-62a17 17 0 0 1 34 0v62Zm38 0v-54a17 17 0 0 1 34 0v54Z" />
      <path fill="var(--wall-shade)" d="M1308 570q14 3 14 14v62h-14Zm38 8q14 3 14 14v54h-14Z" />
      <path fill="var(--elevator-shade)" d="M1150 648v-40l22-16 22 16v40Z" />
      <path fill="var(--elevator)" d="M1192 648V518l16-18h46l16 18v130Z" />
      <path fill="var(--elevator-shade)" d="M1246 500h8l16 18v130h-24Z" />
      <path fill="var(--elevator)" d="M1212 502v-38l18-16 18 16v38Z" />
      <path fill="var(--elevator-shade)" d="M1236 453l12 11v38h-12Z" />
      <path
        fill="var(--roof)"
        d="M1206 468l24-21 24 21-4 3-20-17-20 17Zm-18 54 18-22h6l-16 22Zm86 0-18-22h-6l16 22ZM1146 610l26-19 26 19-4 3-22-16-22 16Z"
      />
      <path
        fill="var(--snow)"
        d="M1206 466l24-21 24 21-24-15Zm-18 54 19-22 3 2-16 20Zm86 0-19-22-3 2 16 20ZM1146 608l26-19 26 19-26-14ZM1288 584a17 17 0 0 1 34 0l-17-9Zm38 8a17 17 0 0 1 34 0l-17-9Z"
      />
      <path fill="var(--window)" d="M1226 472h8v9h-8Z" />
      <text
        x="1220"
        y="546"
        fill="var(--sign)"
        fontSize="9.5"
        fontWeight="800"
        textAnchor="middle"
        textLength="48"
        lengthAdjust="spacingAndGlyphs"
        fontFamily="var(--font-sans)"
      >
        MEADOWLARK
      </text>
      <path fill="var(--wall-shade)" d="M1204 616h14v32h-14Z" />
    </g>
  )
}

/** A yard with its shelterbelt, far off to the left; its kitchen light is on at night. */
function Farmyard() {
  return (
    <g>
      <path
        fill="var(--tree-shade)"
        d="M236 648c-6-22 8-36 20-34 2-16 24-20 32-6 10-14 32-8 34 8 10-8 26 0 25 14 12 0 16 10 13 18Z"
      />
      <path
        fill="var(--tree)"
        d="M236 650c-4-14 8-26 20-22 6-14 26-12 30 2 10-8 26-2 26 10 10-2 18 4 18 10Z"
      />
      <path fill="var(--elevator)" d="M352 650v-30l8-14h34l8 14v30Z" />
      <path fill="var(--roof)" d="M347 622l11-18h38l11 18-5 2-9-15h-32l-9 15Z" />
      <path fill="var(--snow)" d="M347 621l11-18h38l11 18-12-15h-36Z" />
      <path fill="var(--wall)" d="M416 650v-22l18-13 18 13v22Z" />
      <path fill="var(--roof)" d="M411 631l23-17 23 17-3 3-20-15-20 15Z" />
      <path fill="var(--snow)" d="M411 630l23-17 23 17-23-13Z" />
      <path fill="var(--window)" d="M422 633h8v8h-8Zm14 0h8v8h-8Z" />
      <path fill="var(--tree)" d="M462 651c-4-16 8-28 18-22 6-12 24-8 25 6 10-2 15 8 12 16Z" />
      <path
        fill="var(--tree-shade)"
        d="M700 652c0-9 8-14 14-10 4-8 16-6 17 2 8-2 11 4 10 8Zm74-1c0-7 7-11 12-8 4-6 13-4 14 2 6 0 8 3 7 6Z"
      />
    </g>
  )
}

/** Power poles that grow smaller along the road: how far one sees here. The near end serves the farmyard. */
function Poles() {
  const poles = [
    [808, 756, 0.56],
    [944, 706, 0.33],
    [1020, 676, 0.2],
    [1066, 661, 0.13],
  ] as const
  const end = ([x, y, scale]: (typeof poles)[number], side: number) =>
    [x + side * 26 * scale, y - 196 * scale] as const
  const wire = (side: number) =>
    poles.map((pole, index) => {
      const [x, y] = end(pole, side)
      const before = poles[index - 1]
      if (!before) return `M436 622Q610 668 ${x} ${y}`
      const [fromX, fromY] = end(before, side)
      return `Q${(fromX + x) / 2 - 10} ${(fromY + y) / 2 + 22 * before[2]} ${x} ${y}`
    })
  return (
    <g stroke="var(--wood-shade)" fill="none" strokeLinecap="round">
      {poles.map(([x, y, scale]) => (
        <path
          key={x}
          strokeWidth={7 * scale}
          d={`M${x} ${y}V${y - 212 * scale}M${x - 30 * scale} ${y - 192 * scale}H${x + 30 * scale}`}
        />
      ))}
      {[-1, 1].map((side) => (
        <path key={side} stroke="var(--wire)" strokeWidth="1.2" opacity=".7" d={wire(side).join('')} />
      ))}
    </g>
  )
}
