import { isPresence, valueHolds } from './evaluate-value.ts'
import { type Leaf, nestedTree, type Tree } from './tree.ts'

/** A leaf that compares an attribute with a value. A person may lack the attribute. */
export type ComparingLeaf = Extract<
  Leaf,
  { kind: 'custom_attribute' | 'standard_attribute' | 'standard_time' | 'device' }
>

/** Returns whether a leaf compares an attribute that a person may lack, other than testing just that. */
export function comparesAttribute(leaf: Leaf): leaf is ComparingLeaf {
  switch (leaf.kind) {
    case 'custom_attribute':
    case 'standard_attribute':
    case 'standard_time':
    case 'device':
      return !isPresence(leaf.test)
    default:
      return false
  }
}

/** Returns whether a comparison holds for people who lack its attribute. */
export function holdsWhenUnset({ test }: ComparingLeaf): boolean {
  return valueHolds(test, [], 0)
}

/**
 * Returns the tree in which lacking an attribute fulfils no comparison and no negation of one. It selects those people of the tree who are
 * not in it only because they lack an attribute. `exists` and `does_not_exist` do not change. Undefined when the tree would be the same.
 */
export function requireAttributes(tree: Tree): Tree | undefined {
  const required = requireIn(tree, false)
  return required === tree ? undefined : required
}

function requireIn(tree: Tree, isNegated: boolean): Tree {
  if ('not' in tree) {
    const not = requireIn(tree.not, !isNegated)
    return not === tree.not ? tree : { not }
  }
  if ('all' in tree) {
    const all = requireInEach(tree.all, isNegated)
    return all === tree.all ? tree : { all }
  }
  if ('any' in tree) {
    const any = requireInEach(tree.any, isNegated)
    return any === tree.any ? tree : { any }
  }
  return requireInLeaf(tree, isNegated)
}

function requireInEach(children: readonly Tree[], isNegated: boolean): readonly Tree[] {
  const required = children.map((child) => requireIn(child, isNegated))
  return required.every((child, i) => child === children[i]) ? children : required
}

function requireInLeaf(leaf: Leaf, isNegated: boolean): Tree {
  if (leaf.kind === 'segment') {
    const before = nestedTree(leaf)
    const tree = requireIn(before, isNegated)
    return tree === before ? leaf : { ...leaf, tree }
  }
  if (!comparesAttribute(leaf) || holdsWhenUnset(leaf) === isNegated) return leaf
  if (isNegated) return { any: [leaf, { ...leaf, test: { comparison: 'does_not_exist' } }] }
  return { all: [leaf, { ...leaf, test: { comparison: 'exists' } }] }
}
