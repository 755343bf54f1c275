// Texts of the pages, screens and e-mails of kept.ts that promise nothing: names, instructions, errors, slogans, and what people
// promise Meadowlark. A new sentence belongs here or into kept.ts.

/** Keys by namespace. */
export const noPromise: Record<string, string> = {
  landing: `
    hero.title hero.browse hero.post hero.categories search.label search.placeholder search.post search.submit
    search.suggestions search.category search.found_one search.found_other popular.title popular.lead
    popular.all popular.snow.title popular.snow.body popular.cleaning.title popular.cleaning.body
    popular.moving.title popular.moving.body popular.labor.title popular.labor.body how.title how.more
    how.givers.title how.givers.post.title how.givers.proposals.title how.givers.connect.title
    how.givers.pay.title how.doers.title how.doers.browse.title how.doers.propose.title how.doers.hired.title
    how.doers.reputation.title features.title features.lead features.messaging.title features.scheduling.title
    features.matching.title features.notifications.title features.reviews.title features.badges.title live.title
    live.all safety.track.paid.title safety.track.done.title safety.title safety.lead safety.insurance.title
    why.title why.open.title why.share.title why.local.title why.local.body why.example.title why.example.amount
    why.example.fee why.example.gst why.example.total why.example.afterFee why.example.payout cta.title
    cta.signUp cta.explore`,
  pages: `
    notFound.title notFound.body notFound.home how.title how.lead how.givers.title how.givers.action
    how.givers.post.title how.givers.post.body how.givers.review.title how.givers.accept.title
    how.givers.communicate.title how.givers.pay.title how.givers.rate.title how.doers.title how.doers.action
    how.doers.browse.title how.doers.propose.title how.doers.accepted.title how.doers.complete.title
    how.doers.paid.title how.doers.reputation.title how.safety.title how.safety.lead become.title become.action
    become.how become.benefits.title become.benefits.hours.title become.steps.title become.steps.signUp.title
    become.steps.signUp.body become.steps.getVerified.title become.steps.startEarning.title become.services
    become.cta.title become.cta.action become.browse categories.title categories.post
    categories.count_one categories.count_other categories.about.snowRemoval categories.about.cleaning
    categories.about.moving categories.about.assembly categories.about.mounting categories.about.outdoor
    categories.about.repairs categories.about.painting categories.about.petCare categories.about.auto
    categories.about.tech categories.about.errands categories.about.meals categories.about.tutoring
    categories.about.photography categories.about.labor categories.none faq.title faq.lead faq.more faq.contact
    faq.what.question faq.post.question faq.cost.question faq.minimum.question faq.verified.question
    faq.escrow.question faq.unhappy.question faq.cancel.question faq.paid.question faq.keep.question
    faq.insurance.question faq.privacy.question install.title install.installed install.installedBody
    install.open install.taps install.ios.one.title install.ios.one.body install.ios.two.title
    install.ios.two.body install.ios.three.title install.ios.three.body install.android.one.title
    install.android.one.body install.android.two.title install.android.two.body install.android.three.title
    install.android.three.body install.why install.notifications.title install.clicks install.others
    install.device.ios install.device.android install.device.chromium install.device.safari
    install.device.firefox install.chromium.one.title install.chromium.one.body install.chromium.two.title
    install.chromium.two.body install.safari.one.title install.safari.one.body install.safari.two.title
    install.safari.two.body install.firefox`,
  legal: `
    updated contents terms.title terms.lead terms.who.title terms.account.title terms.tasks.title
    terms.payments.title terms.cancel.title terms.disputes.title terms.conduct.title terms.relationship.title
    terms.liability.title terms.liability.body terms.ending.title terms.law.title privacy.title privacy.lead
    privacy.collect.title privacy.collect.body privacy.use.title privacy.others.title privacy.positions.title privacy.calendars.title
    privacy.verification.title privacy.payments.title privacy.keep.title privacy.rights.title privacy.security.title privacy.cookies.title
    privacy.changes.title`,
  auth: `
    title promiseTitle signIn signUp continueWith orByEmail email password fullName phone phoneHint passwordHint
    newPassword roleLegend roleDoer roleGiver roleGiverHint consent forgotPassword forgotTitle forgotSend
    forgotSent backToSignIn newPasswordTitle newPasswordSave newPasswordSaved newPasswordNoSession linkFailed
    linkFailedBody invalidEmail emailTooLong passwordRequired nameTooShort nameTooLong invalidPhone
    passwordTooShort passwordNeedsUppercase passwordNeedsNumber signUpFailed signUpFallback alreadyRegistered
    signInFailed invalidCredentials emailNotConfirmed signInFallback accountCreated accountCreatedBody
    welcomeBack redirecting taskReady checkEmail checkEmailSpam sendAgain correctEmail secondStep secondStepBody
    secondStepByKey factor securityKey useKey keyRefused factorCode codeDigits codeWrong codeUsed verify
    lostDevice recoveryCode recoveryCodeMissing recoveryCodeWrong recoveryUse recovered backToCode backToKey
    notMine notMineRemove notMineRemoved leaveSignIn passkey passkeyFailed passkeyKnown passkeyRefused
    confirmCodeWrong confirmCodeOpen`,
  finish: `
    submit`,
  confirmLink: `
    signup.title signup.button invite.title invite.body invite.button invite.spent magiclink.title
    magiclink.body magiclink.button magiclink.spent recovery.title recovery.button recovery.spent
    email_change.title email_change.body email_change.button email_change.spent spent signedIn continue`,
  verification: `
    title progress legal identity skillsStep tax step0Title step1Title step2Title step3Title acceptTerms
    acceptPrivacy legalName dateOfBirth dateOfBirthHint idType idTypeHint chooseIdType driver_license passport
    health_card documents addDocument documentUploading documentAdded documentName removeDocument documentsFull
    documentType documentTooLarge documentEmpty documentFailed backgroundConsent hasInsurance insuranceProvider
    insurancePolicy insuranceExpiry skills skillsHint skillsOnProfile skillsTooMany
    certifications certificationsHint taxCopy sinProvided
    review ageVerified backgroundSummary insuranceSummary sinSummary yes no submit submitting submitted
    inProgress inProgressBody verified verifiedBody onlyTaskers refused error termsRequired privacyRequired
    legalNameRequired legalNameTooLong dateOfBirthRequired tooYoung idTypeRequired insuranceTooLong listTooLong`,
  'layout.footer': `
    tagline social company browse support legal howItWorks install categories snow help contact rights placeSource`,
  emails: `
    more newMessages receipt statement sentTo turnOff.applications turnOff.bookings turnOff.messages
    turnOff.reviews turnOff.verification turnOff.admin turnOff.alerts choose ended amounts.task amounts.task_as_decided
    amounts.cancellation_fee amounts.platform_fee amounts.gst amounts.paid amounts.payout amounts.kept
    amounts.returned_before amounts.refund`,
  mail: `
    footer notYou confirmation.subject confirmation.title confirmation.asDoer confirmation.asGiver
    confirmation.button invite.subject invite.title invite.body invite.button invite.note magic_link.subject
    magic_link.title magic_link.button magic_link.note recovery.subject recovery.title recovery.button
    email_change.subject email_change.title email_change.button email_change.note reauthentication.subject
    reauthentication.title reauthentication.body reauthentication.code password_changed.subject
    password_changed.title email_changed.subject email_changed.title email_changed.body email_changed.note
    phone_changed.subject phone_changed.title phone_changed.body identity_linked.subject identity_linked.title
    identity_linked.body identity_unlinked.subject identity_unlinked.title identity_unlinked.body
    mfa_factor_enrolled.subject mfa_factor_enrolled.title mfa_factor_unenrolled.subject
    mfa_factor_unenrolled.title mfa_factor_unenrolled.body passkey_added.subject passkey_added.title
    passkey_removed.subject passkey_removed.title passkey_removed.body`,
}
