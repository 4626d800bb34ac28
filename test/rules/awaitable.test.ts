import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const DECLARED = /function (\w+)(?:<[^>]*>)?\((?:[^()]|\([^()]*\))*\): Awaitable</g

/** Calls whose answer decides something although it may be a promise, which is true whatever it will be. */
function decidingCalls(names: string[], text: string): string[] {
  const call = `(?<!await )(?<!whenThere\\()(?:\\b(?:${[...names, 'effective'].join('|')})|\\b(?:cache|\\w+\\(platform\\))\\.get)\\(`
  const args = '(?:[^()]|\\([^()]*\\))*\\)'
  const deciding = [
    `!(?:\\w+\\.)*${call}`,
    `\\b(?:if|while) \\((?:[^()]|\\([^()]*\\))*?${call}`,
    `${call}${args} (?:\\?(?!\\?)|&&|\\|\\|)`,
  ]
  return deciding.flatMap((pattern) => text.match(new RegExp(pattern, 'g')) ?? [])
}

test('nothing takes what may be a promise for an answer', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  const names = [...texts.values()].flatMap((text) => [...text.matchAll(DECLARED)].map(([, name = '']) => name))
  expect(names).toEqual(
    expect.arrayContaining(['findDirectory', 'readServiceSwitch', 'directoryInReach', 'findLiveToken']),
  )
  const found = [...texts].flatMap(([file, text]) => decidingCalls(names, text).map((call) => `${file}: ${call}`))
  expect(found).toEqual([])
})

test('that is found in each of its forms', () => {
  const found = (text: string) => decidingCalls(['isIn'], text).length
  for (const text of [
    '!isIn(a)',
    'if (isIn(a))',
    'if (b && isIn(a(c)))',
    'isIn(a) ? b : c',
    'isIn(a(b)) && c',
    '!settings.effective(w)',
    '!cache.get(a)',
  ])
    expect([text, found(text)]).not.toEqual([text, 0])
  for (const text of [
    '!(await isIn(a))',
    'if (await isIn(a))',
    'whenThere(isIn(a), b)',
    'return b && isIn(a)',
    'const c = isIn(a)',
  ])
    expect([text, found(text)]).toEqual([text, 0])
})
