import { openDnsPeer } from '../peers/dns-peer.ts'
import { walk } from './walk.ts'

const [baseUrl = 'http://localhost:3000', dnsPort = '0'] = process.argv.slice(2)
const key = process.env['WATCHWORD_API_KEY']
if (!key)
  throw new Error('Usage: WATCHWORD_API_KEY=ww_live_… node test/cluster/run-walk.ts [URL] [port of its name server]')

const dns = await openDnsPeer(Number(dnsPort))
const publish = ({ name, value }: { name: string; value: string }) => void dns.answers.set(name, { texts: [value] })
const say = (line: string) => process.stdout.write(`${line}\n`)
const done = await walk({ baseUrl, key, publish }, ({ name, failure }) =>
  say(failure === null ? `ok      ${name}` : `failed  ${name}: ${failure}`),
)
dns.close()
const failed = done.filter(({ failure }) => failure !== null).length
say(`${done.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
