// The landing page (spec 000 §2): what Meadowlark is, for people who need a hand and people who lend one.
import { CallToAction } from './CallToAction.tsx'
import { Features } from './Features.tsx'
import { Hero } from './Hero.tsx'
import { HowItWorks } from './HowItWorks.tsx'
import { PopularCategories } from './PopularCategories.tsx'
import { Safety } from './Safety.tsx'
import { WhyChoose } from './WhyChoose.tsx'

export default function LandingPage() {
  return (
    <div className="-mb-16">
      <Hero />
      <PopularCategories />
      <HowItWorks />
      <Features />
      <Safety />
      <WhyChoose />
      <CallToAction />
    </div>
  )
}
