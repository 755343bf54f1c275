// The English source: one file per feature, each under its own name (`auth.json` → t('auth.signIn')).
import account from './account.json' with { type: 'json' }
import actionItems from './actionItems.json' with { type: 'json' }
import admin from './admin.json' with { type: 'json' }
import applying from './applying.json' with { type: 'json' }
import auth from './auth.json' with { type: 'json' }
import backOffice from './backOffice.json' with { type: 'json' }
import bookings from './bookings.json' with { type: 'json' }
import calendars from './calendars.json' with { type: 'json' }
import changes from './changes.json' with { type: 'json' }
import confirmLink from './confirmLink.json' with { type: 'json' }
import connectedApps from './connectedApps.json' with { type: 'json' }
import dashboard from './dashboard.json' with { type: 'json' }
import errors from './errors.json' with { type: 'json' }
import expenses from './expenses.json' with { type: 'json' }
import finish from './finish.json' with { type: 'json' }
import hours from './hours.json' with { type: 'json' }
import landing from './landing.json' with { type: 'json' }
import layout from './layout.json' with { type: 'json' }
import legal from './legal.json' with { type: 'json' }
import map from './map.json' with { type: 'json' }
import messages from './messages.json' with { type: 'json' }
import near from './near.json' with { type: 'json' }
import notifications from './notifications.json' with { type: 'json' }
import notificationsPage from './notificationsPage.json' with { type: 'json' }
import pages from './pages.json' with { type: 'json' }
import payments from './payments.json' with { type: 'json' }
import payouts from './payouts.json' with { type: 'json' }
import preferences from './preferences.json' with { type: 'json' }
import profile from './profile.json' with { type: 'json' }
import push from './push.json' with { type: 'json' }
import receipts from './receipts.json' with { type: 'json' }
import repeats from './repeats.json' with { type: 'json' }
import reviews from './reviews.json' with { type: 'json' }
import routes from './routes.json' with { type: 'json' }
import savedSearches from './savedSearches.json' with { type: 'json' }
import schedule from './schedule.json' with { type: 'json' }
import taskers from './taskers.json' with { type: 'json' }
import tasks from './tasks.json' with { type: 'json' }
import ui from './ui.json' with { type: 'json' }
import verification from './verification.json' with { type: 'json' }

export const english = {
  account,
  actionItems,
  admin,
  applying,
  auth,
  backOffice,
  bookings,
  calendars,
  changes,
  confirmLink,
  connectedApps,
  dashboard,
  errors,
  expenses,
  finish,
  hours,
  landing,
  layout,
  legal,
  map,
  messages,
  near,
  notifications,
  notificationsPage,
  pages,
  payments,
  payouts,
  preferences,
  profile,
  push,
  receipts,
  repeats,
  reviews,
  savedSearches,
  routes,
  schedule,
  taskers,
  tasks,
  ui,
  verification,
}
