// The templates of emails where config.toml names none: GoTrue's kinds.

const link = (heading: string, sentence: string, label: string, warning = '') =>
  `<h2>${heading}</h2>
<p>${sentence}</p>
<p><a href="{{ .ConfirmationURL }}">${label}</a></p>
<p>Or enter the code: {{ .Token }}</p>${warning && `\n<p>${warning}</p>`}`

/** Every kind of email by its name in config.toml; notifications report a change and are sent only when enabled. */
export const DEFAULT_TEMPLATES = {
  confirmation: {
    notification: false,
    subject: 'Confirm your e-mail address',
    html: link(
      'Confirm your e-mail address',
      'Follow this link to confirm {{ .Email }}:',
      'Confirm my e-mail address',
      'Only the newest email of this kind counts. If you asked for it once and several came, somebody else used your address: confirm none of them and sign up again.',
    ),
  },
  invite: {
    notification: false,
    subject: 'You have been invited',
    html: link(
      'You have been invited',
      'You have been invited to create an account on {{ .SiteURL }}. Follow this link to accept:',
      'Accept the invitation',
    ),
  },
  magic_link: {
    notification: false,
    subject: 'Your sign-in link',
    html: link('Sign in', 'Follow this link to sign in:', 'Sign in'),
  },
  recovery: {
    notification: false,
    subject: 'Reset your password',
    html: link('Reset your password', 'Follow this link to choose a new password:', 'Reset my password'),
  },
  email_change: {
    notification: false,
    subject: 'Confirm the change of your e-mail address',
    html: link(
      'Confirm the change of your e-mail address',
      'Follow this link to confirm the change from {{ .Email }} to {{ .NewEmail }}:',
      'Confirm the change',
    ),
  },
  reauthentication: {
    notification: false,
    subject: '{{ .Token }} is your verification code',
    html: '<h2>Confirm that it is you</h2>\n<p>Enter the code: {{ .Token }}</p>',
  },
  password_changed: {
    notification: true,
    subject: 'Your password was changed',
    html: '<h2>Your password was changed</h2>\n<p>The password of {{ .Email }} was changed. If that was not you, reset it now.</p>',
  },
  email_changed: {
    notification: true,
    subject: 'Your e-mail address was changed',
    html: '<h2>Your e-mail address was changed</h2>\n<p>The address of your account was changed from {{ .OldEmail }} to {{ .Email }}. If that was not you, tell us.</p>',
  },
} as const

export type EmailKind = keyof typeof DEFAULT_TEMPLATES
