// Files made in the browser.

/** Signs that only order text on a screen (shared/bidi.ts): browsers make each an underscore of the file's name. */
const ISOLATES = /[\u2066-\u2069]/g

/** Has the browser save the file under that name. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name.replace(ISOLATES, '')
  link.click()
  // Safari begins to read it only after the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
