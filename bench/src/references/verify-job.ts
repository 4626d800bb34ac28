import { generateKeyPairSync } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js'
import { createLocalJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose'
import { readField } from '../json-field.ts'
import { makeProviderPair, signedResponse } from '../product/identity-provider.ts'

// Verifies the same message again and again, and tells how often by second of CPU: other loads on the machine weigh
// little on that.

const input: unknown = await json(process.stdin)
const seconds = Number(readField(input, 'seconds'))

async function verifyXml(): Promise<() => Promise<void>> {
  const pair = await makeProviderPair()
  const addresses = {
    acsUrl: 'https://sp.example/acs',
    entityId: 'https://sp.example',
    idpEntityId: 'https://idp.example',
  }
  const xml = signedResponse(pair, addresses, { requestId: '_request', user: 'ada@acme.example' })
  return async () => {
    const { documentElement: root } = await parseDomFromString(xml)
    const [assertion] = Array.from(root.getElementsByTagName('saml:Assertion'))
    if (!assertion || getVerifiedXml(xml, assertion, [pair.certificatePem]) === null) throw new Error('Not verified')
  }
}

async function verifyIdToken(): Promise<() => Promise<void>> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keySet = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256', use: 'sig' }] })
  const token = await new SignJWT({ sub: 'ada', email: 'ada@acme.example', nonce: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  return async () => void (await jwtVerify(token, keySet))
}

const once = readField(input, 'what') === 'saml' ? await verifyXml() : await verifyIdToken()
for (let n = 0; n < 200; n++) await once()
const before = process.cpuUsage()
const endAt = performance.now() + seconds * 1000
let count = 0
for (; performance.now() < endAt; count++) await once()
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ perCpuSecond: count / ((user + system) / 1e6) }))
