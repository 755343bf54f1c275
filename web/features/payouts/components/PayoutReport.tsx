// What lies behind and what was earned, below the payout account; a chunk of its own, since the account comes first.
import { Earnings } from './Earnings.tsx'
import { PayoutHistory } from './PayoutHistory.tsx'

export default function PayoutReport() {
  return (
    <>
      <Earnings />
      <PayoutHistory />
    </>
  )
}
