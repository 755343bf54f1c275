// Carriers of text messages: each is called as its API documents, here on a local server that answers as it would.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CarrierAccount } from '../../src/config/carriers.ts'
import { deliverBy } from '../../src/sms/sms.ts'
import type { QueuedText } from '../../src/sms/text.ts'
import { twilioVerifyCheck } from '../../src/sms/twilio-verify.ts'

const received: { path: string; authorization: string; form: Record<string, string> }[] = []
let answer: { status: number; body: string }
let api: Server
let origin: string

beforeAll(async () => {
  api = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        form: Object.fromEntries(new URLSearchParams(body)),
      })
      response.writeHead(answer.status).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})
afterAll(() => api?.close())
beforeEach(() => {
  received.length = 0
})

const message: QueuedText = { kind: 'confirmation', id: '1', to: '13065550100', body: 'Your code is 123456' }

/** The carrier's request for this answer. */
async function deliver(
  account: CarrierAccount,
  given: { status: number; body: string },
  text: QueuedText = message,
) {
  answer = given
  await deliverBy(account, text, origin)
  return received.at(-1)
}

describe('Twilio', () => {
  const account = {
    name: 'twilio' as const,
    account_sid: 'AC1',
    auth_token: 'secret',
    message_service_sid: 'MG1',
  }
  const taken = { status: 201, body: '{}' }

  test('is given the message, by a service or from a number', async () => {
    expect(await deliver(account, taken)).toEqual({
      path: '/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${Buffer.from('AC1:secret').toString('base64')}`,
      form: { To: '+13065550100', Body: message.body, MessagingServiceSid: 'MG1' },
    })
    const fromNumber = { ...account, message_service_sid: '+13065550111' }
    expect((await deliver(fromNumber, taken))?.form).toMatchObject({ From: '+13065550111' })
    const whatsapp = { ...message, channel: 'whatsapp' as const }
    expect((await deliver(account, taken, whatsapp))?.form).toEqual({
      To: 'whatsapp:+13065550100',
      Body: message.body,
      MessagingServiceSid: 'MG1',
    })
    expect((await deliver(fromNumber, taken, whatsapp))?.form).toMatchObject({
      From: 'whatsapp:+13065550111',
    })
  })

  test('reports its refusal, without the number', async () => {
    const refused = { status: 400, body: '{"message":"+13065550100 is not a number"}' }
    await expect(deliver(account, refused)).rejects.toThrow(
      'Twilio answered 400: {"message":"+[recipient] is not a number"}',
    )
  })
})

describe('Twilio Verify', () => {
  const account = {
    name: 'twilio_verify' as const,
    account_sid: 'AC1',
    auth_token: 'secret',
    message_service_sid: 'VA1',
  }
  const authorization = `Basic ${Buffer.from('AC1:secret').toString('base64')}`

  test('is asked for its own code, with none of ours', async () => {
    const taken = { status: 201, body: '{"sid":"VE1","status":"pending"}' }
    expect(await deliver(account, taken)).toEqual({
      path: '/v2/Services/VA1/Verifications',
      authorization,
      form: { To: '+13065550100', Channel: 'sms' },
    })
    const whatsapp = { ...message, channel: 'whatsapp' as const }
    expect((await deliver(account, taken, whatsapp))?.form.Channel).toBe('whatsapp')
  })

  test('is asked about a typed code, and believed only when it approves', async () => {
    const check = (given: typeof answer) => {
      answer = given
      return twilioVerifyCheck(account, { to: '13065550100', code: '123456' }, origin)
    }
    expect(await check({ status: 200, body: '{"status":"approved","valid":true}' })).toBe(true)
    expect(received.at(-1)).toEqual({
      path: '/v2/Services/VA1/VerificationCheck',
      authorization,
      form: { To: '+13065550100', Code: '123456' },
    })
    expect(await check({ status: 200, body: '{"status":"pending","valid":false}' })).toBe(false)
    expect(await check({ status: 200, body: '{"status":"canceled","valid":true}' })).toBe(false)
    await expect(check({ status: 404, body: '{"message":"+13065550100 was not found"}' })).rejects.toThrow(
      'Twilio Verify answered 404: {"message":"+[recipient] was not found"}',
    )
  })
})

describe('MessageBird', () => {
  const account = { name: 'messagebird', originator: 'Meadowlark', access_key: 'live_key' } as const

  test('is given the message', async () => {
    const taken = { status: 201, body: '{"id":"a1","recipients":{"totalSentCount":1}}' }
    expect(await deliver(account, taken)).toEqual({
      path: '/messages',
      authorization: 'AccessKey live_key',
      form: {
        originator: 'Meadowlark',
        recipients: '13065550100',
        body: message.body,
        type: 'sms',
        datacoding: 'unicode',
      },
    })
  })

  test.each([
    [
      { status: 401, body: '{"errors":[{"code":2,"description":"Request not allowed"}]}' },
      'MessageBird answered 401: {"errors":[{"code":2,"description":"Request not allowed"}]}',
    ],
    [{ status: 201, body: '{"recipients":{"totalSentCount":0}}' }, 'MessageBird sent the message to nobody'],
    [{ status: 200, body: '<html>' }, 'MessageBird answered no JSON: <html>'],
  ])('reports %j', async (refused, words) => {
    await expect(deliver(account, refused)).rejects.toThrow(words)
  })
})

describe('Textlocal', () => {
  const account = { name: 'textlocal', sender: 'MDWLRK', api_key: 'key' } as const

  test('is given the message, and reports its refusal', async () => {
    expect(await deliver(account, { status: 200, body: '{"status":"success"}' })).toMatchObject({
      path: '/send',
      form: { sender: 'MDWLRK', apikey: 'key', message: message.body, numbers: '13065550100' },
    })
    const refused = { status: 200, body: '{"status":"failure","errors":[{"code":7,"message":"no credit"}]}' }
    await expect(deliver(account, refused)).rejects.toThrow('Textlocal refused the message: no credit (7)')
  })
})

describe('Vonage', () => {
  const account = { name: 'vonage', from: 'Meadowlark', api_key: 'key', api_secret: 'secret' } as const

  test('is given the message, and reports its refusal', async () => {
    expect(await deliver(account, { status: 200, body: '{"messages":[{"status":"0"}]}' })).toMatchObject({
      path: '/sms/json',
      form: {
        from: 'Meadowlark',
        to: '13065550100',
        text: message.body,
        type: 'unicode',
        api_key: 'key',
        api_secret: 'secret',
      },
    })
    const refused = { status: 200, body: '{"messages":[{"status":"4","error-text":"Bad Credentials"}]}' }
    await expect(deliver(account, refused)).rejects.toThrow('Vonage refused the message: Bad Credentials (4)')
  })
})
