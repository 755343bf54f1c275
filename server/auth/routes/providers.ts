// Single sign-on by SAML is not built in yet: it is answered as GoTrue answers where a project has not switched it on.
import { notFound } from '../errors.ts'

/** POST /sso and the endpoints of SAML */
export function signInWithSso(): never {
  throw notFound('saml_provider_disabled', 'SAML 2.0 is disabled')
}
