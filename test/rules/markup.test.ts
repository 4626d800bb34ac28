import { expect, test } from 'vitest'
import { isForTests, readSources, type SourceFile } from './source.ts'
import { stringsOf } from './strings.ts'

// The markup of pages is made by the template `html`, which escapes. Each test looks for another way.

const sources = readSources('src').filter(({ path }) => !isForTests(path) && !path.endsWith('.gen.ts'))

const ELEMENTS =
  'a|abbr|article|aside|b|base|body|br|button|code|dd|details|div|dl|dt|em|fieldset|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|meta|nav|noscript|object|ol|optgroup|option|p|picture|pre|progress|script|section|select|small|span|strong|style|summary|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|ul|video'
const MARKUP = new RegExp(String.raw`<(?:/?(?:${ELEMENTS})(?=[\s>/]|$)|!doctype)`, 'i')

/** Mails have markup of their own, since mail programs read no style sheets; the line of commands shows no page. */
const APART = /^src\/(platform\/mail\/layout\.ts|features\/tenancy\/mail\/templates\/schema\.ts|cli\/)/

function filesWith(pattern: RegExp, files: SourceFile[] = sources): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

const markupIn = (file: SourceFile) =>
  stringsOf(file)
    .filter(({ tag, text }) => tag !== 'html' && MARKUP.test(text))
    .map(({ line, text }) => `${file.path}:${line}: ${text.slice(0, 60)}`)

test('no text but a template of `html` has markup', () => {
  const found = sources.filter(({ path }) => !APART.test(path)).flatMap(markupIn)
  // The one change of a mail that is shown in a frame.
  expect(found).toEqual([
    expect.stringMatching(/^src\/platform\/mail\/pages\.ts:\d+: <head>$/),
    expect.stringMatching(/^src\/platform\/mail\/pages\.ts:\d+: <head><base target="_blank">$/),
  ])
})

test('the search finds markup in texts, templates and calls, however it is put together', () => {
  const text = `const a = '<p>'
const b = \`x\${a}</P>\`
const c = '<a href=' + a
const d = html\`<p>\${a}</p>\`
const e = other\`<ul>\`
const f = html\`<p>\${\`<b>\${a}\`}</p>\`
const g = 'Acme <ada@acme.example>, <md:X>, a < b'`
  const found = markupIn({ path: 'x.ts', text, lines: 7, imports: [] })
  expect(found.map((one) => one.split(':')[1])).toEqual(['1', '2', '3', '5', '6'])
})

test('only files of the repository are taken as markup', () => {
  expect(filesWith(/\btrustOwnFile\(/)).toEqual([
    'src/features/front/docs/fields.ts',
    'src/features/front/docs/guides.ts',
    'src/platform/pages/html.ts',
  ])
})

test('`html` is a template everywhere, and no answer but a page is HTML', () => {
  expect(filesWith(/(?<!function )\bhtml\(|\bas (unknown as )?(Html|Url|Attributes)\b/)).toEqual([])
  expect(filesWith(/text\/html/)).toEqual([
    'src/platform/http/media.ts',
    // The contract names it.
    'src/platform/openapi/openapi-replies.ts',
    'src/platform/pages/policy.ts',
  ])
})

test('the policy of one page of development allows inline styles, for the mail in its frame', () => {
  expect(filesWith(/unsafe-|'sha256-|'nonce-/)).toEqual(['src/platform/pages/policy.ts'])
  expect(filesWith(/inlineStyles: true/)).toEqual(['src/platform/mail/pages.ts'])
})
