// A few flakes on their way down by day: two layers whose tiles differ in size, so that no grid shows. A tile is one small
// picture that the browser repeats; as many gradients, one above the other, would be reckoned anew for every pixel.

function layer(name: string, radius: number, width: number, height: number, flakes: string[]) {
  const circles = flakes.map((flake) => {
    const [x, y] = flake.split(' ')
    return `<circle cx="${x}" cy="${y}" r="${radius}"/>`
  })
  // A wide, pale edge makes the flake soft.
  const attributes = `fill="#fff" stroke="#fff" stroke-opacity=".4" stroke-width="${radius / 3}"`
  const tile = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${attributes}>${circles.join('')}</svg>`
  return { name, style: { backgroundImage: `url("data:image/svg+xml,${encodeURIComponent(tile)}")` } }
}

const layers = [
  layer('snowfall', 1.45, 530, 480, [
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
  ]),
  layer('snowfall snowfall-near', 2.4, 710, 480, [
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
  ]),
]

export function Snowfall() {
  return layers.map(({ name, style }) => (
    <div
      key={name}
      style={style}
      className={`${name} by-day pointer-events-none absolute inset-x-0 -top-[480px] bottom-0 opacity-80`}
    />
  ))
}
