import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { applyFile } from '../../workspace/file/apply.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import { bodyToFile } from '../../workspace/file/entries.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { attributeBlocklistMax } from '../../workspace/settings/settings.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { isAttributeName } from '../profile/attributes.ts'
import { bodyNotObject } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'

export type BlocklistServices = {
  readonly workspaces: Workspaces
  readonly configSections: readonly ConfigSection[]
  readonly refreshAfter: RefreshAfter
}

type Blocking = { readonly names: readonly string[]; readonly blocklisted: boolean }

/**
 * Puts names of custom attributes on the blocklist of the workspace, or takes them off it: the setting `attribute_blocklist`. Values that
 * people have stay. Throws 400 for what is not a name, and when the list would become too long.
 */
export async function blockAttributes(
  call: Call,
  body: unknown,
  { workspaces, configSections, refreshAfter }: BlocklistServices,
): Promise<object> {
  const blocking = readBlocking(body)
  const { id } = workspaces.get(call.workspace_id)
  const change = async (tx: Tx) => {
    const { settings } = await getWorkspace(tx, id)
    const attribute_blocklist = blocklistAfter(settings.attribute_blocklist ?? [], blocking)
    return bodyToFile(configSections, { settings: { attribute_blocklist } })
  }
  await refreshAfter(applyFile(call, configSections, change, id))
  return {}
}

function readBlocking(body: unknown): Blocking {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { custom_attributes, custom_attribute_names, blocklisted } = body
  const [member, names] =
    custom_attribute_names === undefined
      ? ['custom_attributes', custom_attributes]
      : ['custom_attribute_names', custom_attribute_names]
  if (custom_attributes !== undefined && custom_attribute_names !== undefined)
    throw invalid("'custom_attributes' and 'custom_attribute_names' are the same: give one of them")
  if (!Array.isArray(names) || names.length === 0 || names.length > attributeBlocklistMax)
    throw invalid(`'${member}' must be an array of 1 to ${attributeBlocklistMax} names`)
  for (const [i, name] of names.entries()) {
    if (typeof name !== 'string' || !isAttributeName(name))
      throw invalid(`'${member}[${i}]' is not the name of a custom attribute`)
  }
  if (typeof blocklisted !== 'boolean') throw invalid("'blocklisted' must be true or false")
  return { names, blocklisted }
}

/** Returns the blocklist afterwards; null when it is empty. */
function blocklistAfter(before: readonly string[], { names, blocklisted }: Blocking): string[] | null {
  const after = new Set(before)
  for (const name of names) {
    if (blocklisted) after.add(name)
    else after.delete(name)
  }
  if (after.size > attributeBlocklistMax)
    throw invalid(`A workspace may have ${attributeBlocklistMax} blocklisted custom attributes`)
  return after.size === 0 ? null : [...after]
}
