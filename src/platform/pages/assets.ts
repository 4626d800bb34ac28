import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { accentStyles } from './accent.ts'
import { rootUrl, type Url } from './html.ts'

/** A style sheet or a script of pages. */
export interface Asset {
  /** The name of the file with a hash of the content, such as `base.0123456789abcdef.css`. */
  readonly hashedName: string
  readonly type: string
  readonly content: Buffer
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

const defined = new Map<string, Asset>()

/** Reads a style sheet or a script of the repository, and serves it. Throws for another file, and for a name that is in use. */
export function defineAsset(file: URL): Asset {
  const name = basename(file.pathname)
  if (defined.has(name)) throw new Error(`Two assets have the name ${name}`)
  const asset = toAsset(name, readFileSync(file))
  defined.set(name, asset)
  return asset
}

function toAsset(name: string, content: Buffer): Asset {
  const [, stem = '', extension = ''] = /^([a-z\d-]+)\.(\w+)$/.exec(name) ?? []
  const type = TYPES[extension]
  if (type === undefined) throw new Error(`${name} is neither a style sheet nor a script`)
  return { hashedName: `${stem}.${hash('sha256', content).slice(0, 16)}.${extension}`, type, content }
}

/** The asset with this file name, or null. The name of an accent's style sheet contains the color. */
export function findAsset(name: string): Asset | null {
  const [, color] = /^accent-([a-f\d]{6})\.css$/.exec(name) ?? []
  return color === undefined ? (defined.get(name) ?? null) : accentAsset(`#${color}`)
}

/** The style sheet that sets an accent: `#` with six hexadecimal digits. */
export function accentAsset(color: string): Asset {
  const hex = color.slice(1).toLowerCase()
  return toAsset(`accent-${hex}.css`, Buffer.from(accentStyles(`#${hex}`)))
}

/** The address of an asset, from any page. */
export function assetUrl({ hashedName }: Asset): Url {
  return rootUrl(`/assets/${hashedName}`)
}
