// Runs as a worker of localeData.ts.
Intl.NumberFormat.supportedLocalesOf('en')
Intl.DateTimeFormat.supportedLocalesOf('en')
postMessage('done')
