// Past payouts and earnings, below the payout account. Its own chunk, because the account comes first.
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
