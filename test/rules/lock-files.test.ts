import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Entry {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
}

test.each([
  'package-lock.json',
  'bench/package-lock.json',
  'examples/express/package-lock.json',
  'examples/one-login/package-lock.json',
  'examples/next/package-lock.json',
  'test/longer/workerd/package-lock.json',
])('%s names the bytes of every package, and no registry', (file) => {
  const { packages }: { packages: Record<string, Entry> } = JSON.parse(readFileSync(file, 'utf8'))
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  expect(installed.length).toBeGreaterThan(5)
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
