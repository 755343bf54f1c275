// CUSTOM_PROVIDERS: which custom providers of the auth service have a button in the app, and what it calls them.

export type ProviderButton = { id: `custom:${string}`; name: string }

/** Characters; a button holds no more. */
const MAX_NAME = 40

/** `custom:guild=The Guild, custom:works=Works` in this order; null for an invalid list. */
export function readProviderButtons(value: string): ProviderButton[] | null {
  const parts = value.split(',').map((part) => part.trim())
  const buttons = parts
    .filter((part) => part !== '')
    .map((part) => /^(custom:[a-z0-9:-]{0,42}[a-z0-9]) *= *(\S.*)$/.exec(part))
  const read = buttons.flatMap((match) =>
    match?.[2] && match[2].length <= MAX_NAME
      ? [{ id: match[1] as ProviderButton['id'], name: match[2] }]
      : [],
  )
  const twice = new Set(read.map(({ id }) => id)).size < read.length
  return read.length === buttons.length && !twice ? read : null
}
