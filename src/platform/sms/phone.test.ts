import { expect, test } from 'vitest'
import { COUNTRIES, maskPhone, parsePhone } from './phone.ts'

test.each([
  ['+14155550123', '+14155550123', 'US'],
  ['+1 (415) 555-0123', '+14155550123', 'US'],
  ['+18765551234', '+18765551234', 'JM'],
  ['+4915112345678', '+4915112345678', 'DE'],
  ['+7 701 123 4567', '+77011234567', 'KZ'],
  ['+79161234567', '+79161234567', 'RU'],
])('reads %s', async (text, e164, country) => expect(await parsePhone(text)).toEqual({ e164, country }))

test.each([
  ['a landline', '+49301234567'],
  ['a premium-rate number', '+449098790000'],
  ['a premium-rate number of the calling code 1', '+19002345678'],
  ['a satellite phone', '+881612345678'],
  ['a number that nobody can have', '+15550100000'],
  ['a number that is too short', '+1234567890'],
])('no message goes to %s', async (_, text) => expect(await parsePhone(text)).toMatchObject({ country: null }))

test.each([
  '',
  '+',
  '4155550123',
  '0041791234567',
  'tel:+14155550123',
  '+14155550123 ext. 5',
  '+9',
  `+1${'4'.repeat(40)}`,
])('%j is no phone number', async (text) => expect(await parsePhone(text)).toBeNull())

test('a hint shows two digits, and not how long the number is', () => {
  expect([maskPhone('+14155550123'), maskPhone('+3725551')]).toEqual(['+•••••23', '+•••••51'])
})

test('knows the countries by their ISO codes', () => {
  expect(['US', 'GB', 'DE', 'IN', 'BR'].filter((country) => !COUNTRIES.includes(country))).toEqual([])
  expect(COUNTRIES).not.toContain('UK')
})
