import { parseArgs } from 'node:util'

// The part of curl that the service's printed commands need, for machines without it: the shell has parsed the words.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
})
const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
for (const line of values.header) {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
  headers.set(name, value)
}
const method = values.request ?? (values.data === undefined ? 'GET' : 'POST')
for (const url of positionals) {
  const reply = await fetch(url, { method, headers, ...(values.data === undefined ? {} : { body: values.data }) })
  process.stdout.write(await reply.text())
}
