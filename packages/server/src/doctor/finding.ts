// What an examination of an installation found.

export type Finding = {
  /** A warning works today and may not tomorrow; a failure does not work. */
  level: 'ok' | 'warning' | 'failure'
  /** What was looked at, in a word or two. */
  about: string
  /** What is so, and for warnings and failures what to do. Without secrets. */
  message: string
}

export const ok = (about: string, message: string): Finding => ({ level: 'ok', about, message })
export const warning = (about: string, message: string): Finding => ({ level: 'warning', about, message })
export const failure = (about: string, message: string): Finding => ({ level: 'failure', about, message })
