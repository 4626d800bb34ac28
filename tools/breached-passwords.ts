import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeBreachedList } from '../src/platform/crypto/breached-passwords.ts'

// Rebuilds the list of common passwords from a file with one password per line:
//   node tools/breached-passwords.ts passwords.txt
// src/platform/crypto/breached-passwords.txt says where its lines came from.

const [path] = process.argv.slice(2)
if (!path) throw new Error('Name the file of passwords, one a line.')
const passwords = readFileSync(path, 'utf8')
  .split(/\r?\n/)
  .filter((line) => line !== '')
const list = makeBreachedList(passwords)
const file = fileURLToPath(new URL('../src/platform/crypto/breached-passwords.bin', import.meta.url))
writeFileSync(file, list)
console.log(`${passwords.length} passwords, ${list.length} bytes: ${file}`)
