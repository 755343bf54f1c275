#!/bin/sh
# Hands the e-mail on standard input to the function mail-events, from a mail server's alias. MAIL_EVENTS_CURL names a file
# for curl with the address and the password: docs/operations/mail.md#by-a-mailbox. An e-mail that is no report is dropped,
# and a forged one changes nothing; with 75 (EX_TEMPFAIL) the mail server keeps it and tries again.
status=$(curl --config "${MAIL_EVENTS_CURL:-/etc/meadowlark-mail-events}" --silent --output /dev/null --write-out '%{http_code}' \
  --header 'content-type: message/rfc822' --data-binary @-)
case $status in
  2?? | 400 | 413) exit 0 ;;
  *) exit 75 ;;
esac
