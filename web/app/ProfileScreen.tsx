// My Profile, put together: features never import each other, so the money's tabs are handed to the page here.
import { PaymentTab } from '../features/payments/PaymentTab.tsx'
import { PayoutTab } from '../features/payouts/PayoutTab.tsx'
import { ProfilePage } from '../features/profile/ProfilePage.tsx'

const slots = { PaymentTab, PayoutTab }

export default function ProfileScreen() {
  return <ProfilePage slots={slots} />
}
