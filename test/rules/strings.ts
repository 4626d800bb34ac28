import { parseAst } from 'vitest/node'
import type { SourceFile } from './source.ts'

export interface StringOfSource {
  line: number
  /** Of a template, without what it fills in. */
  text: string
  /** The function that the template is given to; null for other strings. */
  tag: string | null
}

/** Every text and template of a file. */
export function stringsOf({ text: source }: SourceFile): StringOfSource[] {
  const found: StringOfSource[] = []
  const add = (node: object, text: string, tag: string | null) => {
    const line = source.slice(0, Number(Reflect.get(node, 'start'))).split('\n').length
    found.push({ line, text, tag })
  }
  const visit = (node: unknown, tag: string | null): void => {
    if (typeof node !== 'object' || node === null) return
    const type: unknown = Reflect.get(node, 'type')
    if (type === 'Literal') {
      const value: unknown = Reflect.get(node, 'value')
      if (typeof value === 'string') add(node, value, null)
      return
    }
    if (type === 'TaggedTemplateExpression') {
      const name: unknown = Reflect.get(Object(Reflect.get(node, 'tag')), 'name')
      visit(Reflect.get(node, 'quasi'), String(name))
      return
    }
    if (type === 'TemplateLiteral') add(node, cookedOf(node), tag)
    for (const child of Object.values(node)) visit(child, null)
  }
  visit(parseAst(source, { lang: 'ts' }), null)
  return found
}

function cookedOf(template: object): string {
  const quasis: unknown = Reflect.get(template, 'quasis')
  const texts = Array.isArray(quasis) ? quasis.map((quasi) => String(Object(quasi.value).cooked)) : []
  return texts.join('\u0000')
}
