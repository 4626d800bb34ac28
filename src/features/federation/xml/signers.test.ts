import { createSign, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { idp, otherIdp } from '../../../../test/people/saml-world.ts'
import { RSA_SHA256 } from './names.ts'
import { findSigner } from './signers.ts'

test('a key of a kind that makes no such signatures has signed nothing', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const other = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const signature = createSign('RSA-SHA256').update('a').sign(idp.privateKeyPem, 'base64')
  const signed = { octets: 'a', algorithm: RSA_SHA256, signature }
  expect(findSigner(signed, [other])).toBeNull()
  expect(findSigner(signed, [other, otherIdp.certificatePem, idp.certificatePem])).toBe(idp.certificatePem)
  expect(findSigner({ ...signed, octets: 'b' }, [idp.certificatePem])).toBeNull()
})
