// Files made in the browser.

/** Has the browser save the file under that name. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Safari begins to read it only after the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
