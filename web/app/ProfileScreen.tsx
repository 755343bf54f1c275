// My Profile, put together: features never import each other, so the money's and the account's tabs are handed to the page.
import { SecurityTab } from '../features/account/SecurityTab.tsx'
import { PaymentTab } from '../features/payments/PaymentTab.tsx'
import { PayoutTab } from '../features/payouts/PayoutTab.tsx'
import { ProfilePage } from '../features/profile/ProfilePage.tsx'

const slots = { PaymentTab, PayoutTab, SecurityTab }

export default function ProfileScreen() {
  return <ProfilePage slots={slots} />
}
