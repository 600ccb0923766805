import { childrenOf, type Leaf, type Tree } from './tree.ts'

/**
 * The highest price of one tree. A statement with a tree of this price is planned and reads the largest profile in well under a second on
 * the embedded database.
 */
export const treePriceMax = 2_000

/** What a node costs, in units of one comparison with a column. A join costs its own plan and an aggregate for each person. */
const prices = { operator: 1, column: 1, attribute: 2, nested: 4, property: 4, joined: 10 } as const

const cheaper = 'use fewer conditions on events, purchases, devices, apps, groups, cohorts or nested attributes'

/** Returns the price of a tree. Nested segments count with their trees as soon as these are filled in. Pure. */
export function priceOf(tree: Tree): number {
  if ('kind' in tree) return priceOfLeaf(tree)
  return childrenOf(tree).reduce((sum: number, child) => sum + priceOf(child), prices.operator)
}

/** Returns why a tree is too expensive, as the end of a sentence that begins with its path; undefined when it is not. */
export function priceMistake(tree: Tree): string | undefined {
  const price = priceOf(tree)
  if (price <= treePriceMax) return undefined
  return `has a price of ${price}, and at most ${treePriceMax} are allowed: ${cheaper}`
}

function priceOfLeaf(leaf: Leaf): number {
  switch (leaf.kind) {
    case 'custom_attribute':
      return leaf.path.length > 1 ? prices.nested : prices.attribute
    case 'occurrences':
    case 'occurrence_time':
      return prices.joined + prices.property * leaf.what.properties.length
    case 'device':
    case 'last_message':
    case 'subscription_group':
    case 'cohort':
      return prices.joined
    case 'used_app':
      return leaf.app_id === undefined ? prices.column : prices.joined
    case 'segment':
      return leaf.tree ? priceOf(leaf.tree) : prices.operator
    default:
      return prices.column
  }
}
