// Owns one screen; see the router for its address.
import { Page, PageHeader } from '../../ui/Page.tsx'

export default function HowItWorksPage() {
  return (
    <Page>
      <PageHeader title="HowItWorks" />
    </Page>
  )
}
