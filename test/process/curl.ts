import { parseArgs } from 'node:util'

// As much of curl as what the service prints needs, for machines that have none: the shell has read its words.

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
