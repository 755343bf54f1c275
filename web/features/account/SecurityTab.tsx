// The Security tab (specification 001 §2): which e-mails come, how one signs in and where, on devices and to
// other apps, who sees the profile, a copy of one's data, and the way out.
import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router'
import { useOnline } from '../../lib/useOnline.ts'
import { FreshSignInPrompt } from '../../ui/FreshSignInPrompt.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { ApplicationList } from './components/ApplicationList.tsx'
import { ConnectedAccounts } from './components/ConnectedAccounts.tsx'
import { DataExport } from './components/DataExport.tsx'
import { DeleteAccount } from './components/DeleteAccount.tsx'
import { DeviceList } from './components/DeviceList.tsx'
import { EmailNotifications } from './components/EmailNotifications.tsx'
import { Passkeys } from './components/Passkeys.tsx'
import { SignInSettings } from './components/SignInSettings.tsx'
import { TwoStep } from './components/TwoStep.tsx'
import { VisibilitySetting } from './components/VisibilitySetting.tsx'
import { WaysInDialog } from './components/WaysInDialog.tsx'

export function SecurityTab({ userId }: { userId: string }): ReactNode {
  // Nothing of it is kept, and none of it can be changed without a network: shown once for all groups, and not while
  // a form is open.
  const online = useOnline()
  // Whoever comes from a new password is asked at once.
  const [asksForWaysIn, setAsksForWaysIn] = useState(useLocation().state?.asksForWaysIn === true)
  const askForWaysIn = () => setAsksForWaysIn(true)
  const [begun, setBegun] = useState(online)
  if (online && !begun) setBegun(true)
  if (!begun) return <ErrorState />
  return (
    <div className="@container divide-y divide-line [&>*]:py-7 [&>*:first-child]:pt-0 [&>*:last-child]:pb-0">
      <EmailNotifications userId={userId} />
      <SignInSettings userId={userId} onOthersSignedOut={askForWaysIn} />
      <Passkeys userId={userId} />
      <TwoStep userId={userId} />
      <ConnectedAccounts userId={userId} />
      <DeviceList userId={userId} onOthersSignedOut={askForWaysIn} />
      <ApplicationList userId={userId} />
      <VisibilitySetting userId={userId} />
      <DataExport userId={userId} />
      <DeleteAccount userId={userId} />
      {asksForWaysIn && <WaysInDialog userId={userId} onClose={() => setAsksForWaysIn(false)} />}
      <FreshSignInPrompt />
    </div>
  )
}
