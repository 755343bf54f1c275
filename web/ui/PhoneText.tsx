// A phone number to read, in its usual form and from left to right in every language.
import { usePhone } from './phone.ts'

/** `<PhoneText phone={profile.phone} />` */
export function PhoneText({ phone }: { phone: string }) {
  return (
    <bdi dir="ltr" className="tabular">
      {usePhone(phone)}
    </bdi>
  )
}
