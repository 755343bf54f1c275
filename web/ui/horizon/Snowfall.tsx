// A few flakes on their way down by day: two layers whose tiles differ in size, so that no grid shows. A tile is a pattern
// that the browser draws once and repeats; as many gradients, one above the other, would be reckoned anew for every pixel.
// A picture in the background would count as the largest thing that the page paints, and come last.

import { classes } from '../classes.ts'

const layers = [
  {
    name: 'snowfall',
    radius: 1.45,
    width: 530,
    height: 480,
    flakes: [
      '249 163',
      '113 377',
      '413 253',
      '166 54',
      '76 18',
      '304 417',
      '68 121',
      '376 149',
      '184 431',
      '116 142',
      '227 21',
      '286 107',
      '176 166',
      '304 329',
      '389 52',
      '353 351',
      '261 250',
      '294 53',
    ],
  },
  {
    name: 'snowfall-near',
    radius: 2.4,
    width: 710,
    height: 480,
    flakes: [
      '568 438',
      '315 11',
      '306 301',
      '327 442',
      '528 107',
      '431 224',
      '621 155',
      '173 127',
      '320 140',
      '52 49',
    ],
  },
]

export function Snowfall() {
  return layers.map(({ name, radius, width, height, flakes }) => (
    <svg
      key={name}
      aria-hidden="true"
      className={classes(
        'snowfall by-day pointer-events-none absolute -top-[480px] left-0 h-[calc(100%+480px)] w-full opacity-80',
        name,
      )}
    >
      <pattern id={name} width={width} height={height} patternUnits="userSpaceOnUse">
        {/* A wide, pale edge makes the flake soft. */}
        <g fill="#fff" stroke="#fff" strokeOpacity={0.4} strokeWidth={radius / 3}>
          {flakes.map((flake) => {
            const [x, y] = flake.split(' ')
            return <circle key={flake} cx={x} cy={y} r={radius} />
          })}
        </g>
      </pattern>
      <rect width="100%" height="100%" fill={`url(#${name})`} />
    </svg>
  ))
}
