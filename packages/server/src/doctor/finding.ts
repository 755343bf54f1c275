// A finding of the doctor.

export type Finding = {
  /** A warning works today and may not tomorrow; a failure does not work. */
  level: 'ok' | 'warning' | 'failure'
  /** The subject, in a word or two. */
  about: string
  /** The finding, with the remedy for warnings and failures. Contains no secrets. */
  message: string
}

export const ok = (about: string, message: string): Finding => ({ level: 'ok', about, message })
export const warning = (about: string, message: string): Finding => ({ level: 'warning', about, message })
export const failure = (about: string, message: string): Finding => ({ level: 'failure', about, message })
