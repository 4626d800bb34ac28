import { generateKeyPairSync, sign } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { SignJWT } from 'jose'
import { readField } from '../json-field.ts'
import { percentile } from '../statistics.ts'

const input: unknown = await json(process.stdin)
const seconds = Number(readField(input, 'seconds'))
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const claims = { sub: crypto.randomUUID(), sid: crypto.randomUUID(), org_id: crypto.randomUUID(), amr: ['otp'] }

function signWithCrypto(): void {
  const head = Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url')
  const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  // In DER: `dsaEncoding` costs as much again.
  sign('sha256', Buffer.from(text), privateKey).toString('base64url')
}

async function signWithJose(): Promise<void> {
  await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).sign(privateKey)
}

const once = readField(input, 'library') === 'jose' ? signWithJose : signWithCrypto
const latenciesMs: number[] = []
const startedAt = performance.now()
const endAt = startedAt + seconds * 1000
for (let from = startedAt; from < endAt; ) {
  await once()
  const to = performance.now()
  latenciesMs.push(to - from)
  from = to
}
latenciesMs.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    ratePerSecond: latenciesMs.length / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }),
)
