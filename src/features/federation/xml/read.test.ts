import { expect, test } from 'vitest'
import { attributeOf, readXml, XmlError } from './read.ts'

test('elements, attributes and text are read with their namespaces', () => {
  const root = readXml(
    '<?xml version="1.0"?>\r\n<a xmlns="urn:a" xmlns:b="urn:b" c="1\r\n2" b:c=\'"\'>x&amp;&#65;&#x42;<b:d xmlns="" >\r\n<e/></b:d>y</a>\n',
  )
  expect(root).toMatchObject({
    namespace: 'urn:a',
    name: 'a',
    text: 'x&ABy',
    attributes: [
      { namespace: '', name: 'c', value: '1 2' },
      { namespace: 'urn:b', name: 'c', value: '"' },
    ],
    children: [{ namespace: 'urn:b', name: 'd', text: '\n', children: [{ namespace: '', name: 'e', children: [] }] }],
  })
  expect(attributeOf(root, 'c')).toBe('1 2')
})

test.each([
  '',
  'x',
  '<a>',
  '</a>',
  '<a></b>',
  '<a/><b/>',
  '<a/>x',
  '<a b/>',
  '<a b=1/>',
  '<a b="1" b="2"/>',
  '<a b="<"/>',
  '<a b="1"c="2"/>',
  '< a/>',
  '<a:b/>',
  '<a b:c="1"/>',
  '<a:b:c xmlns:a="urn:a"/>',
  '<a xmlns:b=""/>',
  '<a xmlns:b="relative"/>',
  '<a xmlns:xmlns="urn:b"/>',
  '<a xmlns:xml="urn:b"/>',
  '<a xmlns:b="http://www.w3.org/XML/1998/namespace"/>',
  '<a>]]></a>',
  '<a>&nbsp;</a>',
  '<a>& </a>',
  '<a>&#xD800;</a>',
  '<a>&#x110000;</a>',
  '<a>\uFFFF</a>',
  '<a><!-- --></a>',
  '<a><![CDATA[x]]></a>',
  '<a><?b?></a>',
  '<!DOCTYPE a><a/>',
  '<?xml version="1.1"?><a/>',
  '<?xml version="1.0" encoding="UTF-16"?><a/>',
  ' <?xml version="1.0"?><a/>',
])('%s is refused', (text) => {
  expect(() => readXml(text)).toThrow(XmlError)
})

test('comments are skipped where they may stand, and join no text', () => {
  const bounds = { maxElements: 3, maxAttributes: 3, allowComments: true }
  expect(readXml('<!-- <x> --><a>1<!-- - -- >2</b> -->3</a>', bounds)).toMatchObject({ text: '13', children: [] })
  expect(() => readXml('<a><!-- </a>', bounds)).toThrow(XmlError)
  expect(() => readXml('<a><b/><b/><b/></a>', bounds)).toThrow('too many elements')
})

test.each([
  ['depth', `${'<a>'.repeat(41)}${'</a>'.repeat(41)}`, 'too deep'],
  ['attributes', `<a ${Array.from({ length: 41 }, (_, index) => `a${index}="1"`).join(' ')}/>`, 'too many attributes'],
  ['declarations', `<a ${Array.from({ length: 41 }, (_, index) => `xmlns:a${index}="a:b"`).join(' ')}/>`, 'too many'],
  ['elements', `<a>${'<b/>'.repeat(2000)}</a>`, 'too many elements'],
  ['attributes in all', `<a>${'<b c="1" d="2" e="3" f="4" g="5"/>'.repeat(1700)}</a>`, 'in all'],
])('a document has a bounded number of what costs most: %s', (_, text, why) => {
  expect(() => readXml(text)).toThrow(why)
})
