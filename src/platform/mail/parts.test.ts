import { expect, test } from 'vitest'
import type { WrittenMail } from './message.ts'
import { layOut, standardParts } from './parts.ts'

const url = 'https://auth.example.com/link'
const written: WrittenMail = {
  subject: 'Sign in',
  content: {
    heading: 'Sign in to {brand}',
    paragraphs: ['Follow the link.', 'Hello.'],
    button: { label: 'Open', url },
    code: 'amber falcon',
    codeLabel: 'Or enter this code, within {expires_in}:',
    footer: 'It works for {expires_in}.',
  },
}
const values = { brand: 'Acme', expires_in: '5 minutes', inviter: null }
const blocksOf = (body: string[], mail = written) => layOut(mail, values, [{ body }], 'en').blocks

const BUTTON = { button: { label: 'Open', url } }
const CODE = { code: 'amber falcon' }
const STANDARD = [
  { text: 'Follow the link.' },
  { text: 'Hello.' },
  BUTTON,
  { text: 'Or enter this code, within 5 minutes:' },
  CODE,
]

test('the standard texts are a template, with the line above the code', () => {
  expect(standardParts(written, 'en').body).toEqual([
    ...['Follow the link.', 'Hello.', '{link}'],
    'Or enter this code, within {expires_in}: {code}',
  ])
  const { codeLabel: _, ...content } = written.content
  expect(standardParts({ ...written, content }, 'de').body.at(-1)).toBe('Oder geben Sie diesen Code ein: {code}')
  const { button: __, ...alone } = content
  expect(standardParts({ ...written, content: alone }, 'de')).toMatchObject({
    body: ['Follow the link.', 'Hello.', '{code}'],
    button: null,
  })
  expect(layOut(written, values, [], 'en')).toEqual({
    subject: 'Sign in',
    heading: 'Sign in to Acme',
    blocks: STANDARD,
    footer: 'It works for 5 minutes.',
  })
})

test('code and link stand where the body places them, below the text of their paragraph', () => {
  expect(blocksOf(['First {code}', '{standard}', 'For {expires_in}: {link}', 'Last.'])).toEqual([
    ...[{ text: 'First' }, CODE, { text: 'Follow the link.' }, { text: 'Hello.' }],
    ...[{ text: 'For 5 minutes:' }, BUTTON, { text: 'Last.' }],
  ])
})

test('a body that would lose the code or the link, or show it twice, does not count', () => {
  for (const body of [
    ['{link}'],
    ['{code}'],
    ['Hello.'],
    ['{link}', '{code}', '{code}'],
    ['{link}', '{link}'],
    ['{code} {link}'],
  ])
    expect([body, blocksOf(body)]).toEqual([body, STANDARD])
  const fallback = layOut(written, values, [{ body: ['Lost.'] }, { body: ['Kept:', '{link}', '{code}'] }], 'en')
  expect(fallback.blocks).toEqual([{ text: 'Kept:' }, BUTTON, CODE])
})

test('a text without a value for its placeholder is passed over, and a code keeps the standard line', () => {
  expect(blocksOf(['{inviter} asks.', 'By {inviter}: {code}', 'By {inviter} {link}'])).toEqual([
    { text: 'Or enter this code, within 5 minutes:' },
    CODE,
    BUTTON,
  ])
  const templates = [{ subject: '{inviter}', footer: '{inviter}' }, { subject: 'Of {brand}' }]
  expect(layOut(written, values, templates, 'en')).toMatchObject({
    subject: 'Of Acme',
    footer: 'It works for 5 minutes.',
  })
})

test('what a mail of the kind does not have is left out with its paragraph', () => {
  const { code: _, codeLabel: __, ...content } = written.content
  expect(blocksOf(['{link}', 'Or this: {code}'], { ...written, content })).toEqual([BUTTON])
})

test('only values are filled in, and those are not read again', () => {
  const hostile = { brand: '{expires_in}', expires_in: '{brand} $& {code}' }
  const { subject } = layOut(written, hostile, [{ subject: '{brand} {expires_in} {constructor} {toString}' }], 'en')
  expect(subject).toBe('{expires_in} {brand} $& {code} {constructor} {toString}')
})
