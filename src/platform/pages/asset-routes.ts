import { type KeptAnswer, keepAnswer, keepOnce } from '../http/kept.ts'
import type { Route } from '../http/route.ts'
import { type Asset, findAsset } from './assets.ts'
import { definePage } from './pages.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

const kept = new WeakMap<Asset, () => Promise<KeptAnswer>>()

/** The response that browsers keep. It is made once for a file, and for each request of an accent. */
function lastingAnswer(asset: Asset): Promise<KeptAnswer> {
  const { content, type } = asset
  const get =
    kept.get(asset) ?? keepOnce(() => keepAnswer(content, { 'content-type': type, 'cache-control': IMMUTABLE }))
  kept.set(asset, get)
  return get()
}

/**
 * Serves the style sheets and scripts of the pages. During an upgrade, a page of another version asks with another hash. It gets
 * the file of this version, which browsers then do not keep.
 */
export const assetRoutes: Route[] = definePage({
  path: '/assets/{file}',
  summary: 'A style sheet or a script of the pages',
  async render(_work, { file = '' }) {
    const [, stem = '', extension = ''] = /^([a-z\d-]+)\.[a-f\d]{16}\.(css|js)$/.exec(file) ?? []
    const asset = findAsset(`${stem}.${extension}`)
    if (!asset) return null
    if (file === asset.hashedName) return lastingAnswer(asset)
    return keepAnswer(asset.content, { 'content-type': asset.type })
  },
})
