// The last height of the bar of a suspended account (app/SuspensionBar.tsx), stored in localStorage under
// `suspension-room`. When the app opens again, the first paint reserves the place of the bar, and nothing moves when
// it appears.

const PROPERTY = '--suspension-room'

/** Before the first paint: leaves as much room as was needed last. */
export function reserveSuspensionBar(): void {
  try {
    const height = Number(localStorage.getItem('suspension-room'))
    if (height > 0) document.documentElement.style.setProperty(PROPERTY, `${height}px`)
  } catch {
    // Nothing is kept where storage is switched off.
  }
}

/** `height` in pixels; 0 once nobody is suspended here. */
export function rememberSuspensionBarHeight(height: number): void {
  // From now on the bar's content sets its height.
  document.documentElement.style.removeProperty(PROPERTY)
  try {
    if (height > 0) localStorage.setItem('suspension-room', String(Math.round(height)))
    else localStorage.removeItem('suspension-room')
  } catch {
    // As above.
  }
}
