// The templates of emails where config.toml names none: GoTrue's kinds.

const link = (heading: string, sentence: string, label: string, warning = '') =>
  `<h2>${heading}</h2>
<p>${sentence}</p>
<p><a href="{{ .ConfirmationURL }}">${label}</a></p>
<p>Or enter the code: {{ .Token }}</p>${warning && `\n<p>${warning}</p>`}`

const notification = (subject: string, sentence: string) =>
  ({ notification: true, subject, html: `<h2>${subject}</h2>\n<p>${sentence}</p>` }) as const

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
  password_changed: notification(
    'Your password was changed',
    'The password of {{ .Email }} was changed. If that was not you, reset it now.',
  ),
  email_changed: notification(
    'Your e-mail address was changed',
    'The address of your account was changed from {{ .OldEmail }} to {{ .Email }}. If that was not you, tell us.',
  ),
  phone_changed: notification(
    'Your phone number was changed',
    'The phone number of {{ .Email }} was changed{{ if .OldPhone }} from {{ .OldPhone }}{{ end }} to {{ .Phone }}. If that was not you, reset your password now.',
  ),
  identity_linked: notification(
    'A new way to sign in was added',
    'Your account {{ .Email }} can now be signed in to with {{ .Provider }}. If that was not you, reset your password now.',
  ),
  identity_unlinked: notification(
    'A way to sign in was removed',
    'Your account {{ .Email }} can no longer be signed in to with {{ .Provider }}. If that was not you, reset your password now.',
  ),
  // These two are no kinds of GoTrue's, which mails nothing about passkeys.
  passkey_added: notification(
    'A passkey was added',
    'Your account {{ .Email }} can now be signed in to with a new passkey. If that was not you, reset your password now and remove the passkey.',
  ),
  passkey_removed: notification(
    'A passkey was removed',
    'A passkey was removed from {{ .Email }}. If that was not you, reset your password now.',
  ),
  mfa_factor_enrolled: notification(
    'A second factor was added',
    'Signing in to {{ .Email }} now takes a second factor ({{ .FactorType }}). If that was not you, reset your password now.',
  ),
  mfa_factor_unenrolled: notification(
    'A second factor was removed',
    'A second factor ({{ .FactorType }}) was removed from {{ .Email }}. If that was not you, reset your password now.',
  ),
} as const

export type EmailKind = keyof typeof DEFAULT_TEMPLATES

export type NotificationKind = {
  [Kind in EmailKind]: (typeof DEFAULT_TEMPLATES)[Kind]['notification'] extends true ? Kind : never
}[EmailKind]

/** The name of each kind in what the hook of emails is sent. */
export const ACTION_TYPES: Record<EmailKind, string> = {
  confirmation: 'signup',
  invite: 'invite',
  magic_link: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
  password_changed: 'password_changed_notification',
  email_changed: 'email_changed_notification',
  phone_changed: 'phone_changed_notification',
  identity_linked: 'identity_linked_notification',
  identity_unlinked: 'identity_unlinked_notification',
  passkey_added: 'passkey_added_notification',
  passkey_removed: 'passkey_removed_notification',
  mfa_factor_enrolled: 'mfa_factor_enrolled_notification',
  mfa_factor_unenrolled: 'mfa_factor_unenrolled_notification',
}
