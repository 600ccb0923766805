/** A product of the demo's shop for handicraft. */
export type Product = {
  readonly id: string
  readonly name: string
  readonly category: Category
  /** In US dollars; the other currencies follow. */
  readonly price: number
}

export const categories = ['yarn', 'fabric', 'paper', 'paint', 'wood'] as const
export type Category = (typeof categories)[number]

const names: Readonly<Record<Category, readonly string[]>> = {
  yarn: [
    'Merino yarn',
    'Alpaca yarn',
    'Cotton yarn',
    'Sock yarn',
    'Mohair lace',
    'Bamboo needles',
    'Crochet hooks',
    'Yarn bowl',
  ],
  fabric: [
    'Linen, washed',
    'Cotton poplin',
    'Corduroy',
    'Quilting set',
    'Felt sheets',
    'Sewing kit',
    'Fabric shears',
    'Thread box',
  ],
  paper: [
    'Origami paper',
    'Washi tape',
    'Sketch book',
    'Kraft cards',
    'Calligraphy set',
    'Paper trimmer',
    'Bullet journal',
    'Envelopes',
  ],
  paint: [
    'Watercolour set',
    'Gouache',
    'Acrylic starter set',
    'Ink, indigo',
    'Brush roll',
    'Canvas board',
    'Palette',
    'Spray varnish',
  ],
  wood: [
    'Carving knife',
    'Lime wood block',
    'Whittling set',
    'Sandpaper mix',
    'Beeswax polish',
    'Dowels',
    'Coping saw',
    'Frame kit',
  ],
}

const dollars = [6.5, 9.9, 12, 14.5, 18, 24, 32, 48]

export const products: readonly Product[] = categories.flatMap((category) =>
  names[category].map((name, i) => {
    const id = name.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    return { id, name, category, price: dollars[(i * 3 + name.length) % dollars.length]! }
  }),
)

const rates = { USD: 1, EUR: 0.92, JPY: 150 } as const
export type Currency = keyof typeof rates

/** Returns a price in a currency as a shop would print it. */
export function priceIn(currency: Currency, price: number): number {
  const exact = price * rates[currency]
  return currency === 'JPY' ? Math.round(exact / 10) * 10 : Math.round(exact * 100) / 100
}
