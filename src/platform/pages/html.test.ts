import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/peers/browser.ts'
import { renderPage } from './card.ts'
import { attributes, type Html, html, mailUrl, rootUrl, trustOwnFile, url, writeHtml } from './html.ts'

const HOSTILE = [
  '<script>x</script>',
  '"><img src=x onerror=x>',
  "' onclick='x",
  '</title></textarea></p>',
  '<!--',
  '-->',
  ']]>',
  '&lt;b&gt;',
  '&#60;b&#62;',
  '\u0000<b>',
  'a\rb\r\nc\nd',
  '\u202e\u2028\ufeff',
]
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
)
const samples = fc.sample(text, { numRuns: 1000, seed: 4 })

describe('what a parser of browsers reads', async () => {
  const browser = await openBrowser()

  test('no text leaves its element or its attribute', async () => {
    const pages = samples.map((value) =>
      writeHtml(
        html`<title>${value}</title><p title="${value}"${attributes({ lang: value })}>${value}</p><textarea>${[html`${value}`]}</textarea><input value="${value}"><b>end</b>`,
      ),
    )
    const page = await browser.newPage()
    const read = await page.evaluate(`${JSON.stringify(pages)}.map((source) => {
      const { head, body } = new DOMParser().parseFromString(source, 'text/html')
      const [p, area, input, end] = body.children
      return [
        head.children.length, body.childNodes.length, end?.textContent,
        ...[head.textContent, p.title, p.lang, p.textContent, input.value].map((one) => one.replaceAll('\\ufffd', '')),
        area.value.replaceAll('\\ufffd', ''),
      ]
    })`)
    // A parser reads line ends as \n, a field and a title without some of them, and nothing as a line break or NUL.
    const lines = (value: string) => value.replaceAll('\u0000', '').replaceAll('\ufffd', '').replaceAll(/\r\n?/g, '\n')
    const expected = samples.map((value) => {
      const shown = lines(value)
      return [1, 4, 'end', shown, shown, shown, shown, shown.replaceAll('\n', ''), shown.replace(/^\n/, '')]
    })
    expect(read).toEqual(expected)
    await page.close()
  })

  test('an address is of http(s), or stays on the host, or is refused', async () => {
    const schemes = [
      'javascript:',
      'JaVaScRiPt:',
      'java\nscript:',
      ' javascript:',
      '\u0001javascript:',
      'data:',
      'vbscript:',
      'blob:',
      'file:',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example',
      '\\\\evil.example',
      'http:evil.example',
      'https:/evil.example',
      'https://',
      '/',
      '?',
      '#',
      'a/b',
      '',
    ]
    const addresses = fc.sample(
      fc.tuple(fc.constantFrom(...schemes), text).map(([scheme, rest]) => scheme + rest),
      { numRuns: 2000, seed: 4 },
    )
    const written = addresses.flatMap((address) => {
      try {
        return [writeHtml(html`<a href="${url(address)}">x</a>`)]
      } catch {
        return []
      }
    })
    expect(written.length).toBeGreaterThan(300)
    const page = await browser.newPage()
    const bad = await page.evaluate(`${JSON.stringify(written)}.filter((source) => {
      const { body } = new DOMParser().parseFromString('<base href="https://own.example/a/">' + source, 'text/html')
      const [link, ...more] = body.children
      const isAbsolute = /^https?:\\/\\//i.test(link.getAttribute('href'))
      return more.length > 0 || link.attributes.length > 1 || !(isAbsolute ? /^https?:$/.test(link.protocol) : link.host === 'own.example')
    })`)
    expect(bad).toEqual([])
    await page.close()
  })
})

test.each([
  'javascript:alert(1)',
  'java\tscript:x',
  'data:text/html,x',
  '//evil.example',
  '/\\evil.example',
  'http:evil.example',
  'https://',
  'mailto:a@b',
])('the address %j is refused', (address) => {
  expect(() => url(address)).toThrow('must be http(s), or a path')
})

test('an address keeps its text, escaped', () => {
  expect(writeHtml(html`<a href="${url('/a?b=1&c="2')}">x</a>`)).toBe('<a href="/a?b=1&amp;c=&quot;2">x</a>')
  expect(writeHtml(html`<a href="${mailUrl('o"x@b.example')}">x</a>`)).toBe('<a href="mailto:o%22x@b.example">x</a>')
})

test('the root of the service is put before its paths, and a text cannot name it', () => {
  const written = html`<a href="${rootUrl('/a')}" title="${'\u0000/b'}">${'\u0000/c'}${trustOwnFile('\u0000/d')}</a>`
  expect(writeHtml(written, '/$&')).toBe('<a href="/$&/a" title="\ufffd/b">\ufffd/c\ufffd/d</a>')
})

const value = 'x'
const refused: [string, () => Html][] = [
  ['an address in upper case', () => html`<a HREF="${value}">x</a>`],
  ['a handler in upper case', () => html`<p onClick="${value}">x</p>`],
  ['a style in upper case', () => html`<p STYLE="${value}">x</p>`],
  ['a frame in upper case', () => html`<iframe srcDoc="${value}"></iframe>`],
  ['a refresh', () => html`<meta HTTP-EQUIV="refresh" content="${value}">`],
  [
    'a sandbox that allows scripts in upper case',
    () => html`<iframe sandbox="Allow-Scripts" srcdoc="${value}"></iframe>`,
  ],
  ['an attribute twice', () => html`<iframe sandbox="" sandbox="" srcdoc="${value}"></iframe>`],
  ['a computed sandbox', () => html`<iframe${attributes({ title: 'x' })} sandbox="" srcdoc="${value}"></iframe>`],
  ['an address of its own that runs', () => html`<a href="javascript:alert(1)">x</a>`],
  ['a list of addresses', () => html`<img srcset="${url('/a')}" alt="">`],
  ['an animated attribute', () => html`<set attributeName="href" to="${value}">`],
  ['an unquoted attribute', () => html`<p title=${value}>x</p>`],
  ['an attribute in single quotes', () => html`<p title='${value}'>x</p>`],
  ['the name of an attribute', () => html`<p ${value}="x">x</p>`],
  ['a text among attributes', () => html`<p${value}>x</p>`],
  ['the name of an element', () => html`<${value}>x</p>`],
  ['a comment', () => html`<!-- ${value} -->`],
  ['an inline script', () => html`<script>${value}</script>`],
  ['an inline style', () => html`<style>${value}</style>`],
  ['a style attribute', () => html`<p style="color:${value}">x</p>`],
  ['a handler', () => html`<p onclick="x">x</p>`],
  ['a text as an address', () => html`<a href="${value}">x</a>`],
  ['part of an address', () => html`<a href="https://${value}">x</a>`],
  ['an address outside an address attribute', () => html`<p title="${url('/')}">x</p>`],
  ['markup in an attribute', () => html`<p title="${html`<b>x</b>`}">x</p>`],
  ['an address as text', () => html`<p>${url('/')}</p>`],
  [
    'another document in a frame that may run scripts',
    () => html`<iframe sandbox="allow-scripts" srcdoc="${value}"></iframe>`,
  ],
  ['another document in a frame without a sandbox', () => html`<iframe srcdoc="${value}"></iframe>`],
  ['a base address', () => html`<base href="${url('/')}">`],
  ['a refresh', () => html`<meta http-equiv="refresh" content="${value}">`],
  ['a tag that does not end', () => html`<p title="${value}"`],
]

test.each(refused)('%s is refused', (_, make) => {
  expect(make).toThrow()
})

test.each(['href', 'src', 'formaction', 'style', 'srcdoc', 'onclick', 'http-equiv', 'a b', 'x"', ''])(
  'a value does not decide on the attribute %j',
  (name) => {
    expect(() => attributes({ [name]: 'x' })).toThrow('no attribute')
  },
)

test('null and false show nothing, and numbers and lists their content', () => {
  expect(writeHtml(html`<p>${null}${false}${0}${[html`<b>1</b>`, html`2`]}</p>`)).toBe('<p>0<b>1</b>2</p>')
  expect(writeHtml(html`<input${attributes({ required: true, disabled: false, value: null, size: 3 })}>`)).toBe(
    '<input required size="3">',
  )
})

test('a text is no markup for the compiler, and neither is an object of JSON', () => {
  const page = {
    brand: { name: 'A', logoUrl: null, supportEmail: null, accentColor: null },
    language: 'en',
    title: 'T',
  } as const
  // @ts-expect-error: a string is no Html.
  expect(writeHtml(renderPage({ ...page, body: '<b>' }).html)).toContain('&lt;b&gt;')
  // @ts-expect-error: a list of strings is none either.
  expect(() => html`${['<b>']}`).not.toThrow()
  expect(() => html`${JSON.parse('{"markup":"<b>"}')}`).toThrow()
  // @ts-expect-error: undefined is a mistake.
  expect(() => html`${undefined}`).toThrow()
})
