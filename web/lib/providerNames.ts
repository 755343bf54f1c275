// The services that the auth service knows by itself, with the names that they use in every language.
export const PROVIDER_NAMES = {
  google: 'Google',
  apple: 'Apple',
  azure: 'Microsoft',
  facebook: 'Facebook',
  github: 'GitHub',
  keycloak: 'Keycloak',
} as const
