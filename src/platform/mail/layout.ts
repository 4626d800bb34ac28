import type { Language } from '../messages/language.ts'
import { texts } from '../messages/texts.gen.ts'
import type { Brand } from './brand.ts'
import { escapeHtml, mailtoAddress } from './html.ts'

/** The final texts of a mail. Each is plain text on one line. */
export interface LaidMail {
  heading: string
  blocks: Block[]
  footer: string
}

/** A block between heading and footer. A code is shown large, and on its own line in the text part. */
export type Block = { text: string } | { code: string } | { button: Button }

interface Button {
  label: string
  /** An http(s) link. */
  url: string
}

/** Renders a mail as text and as HTML. Throws for a link that is not http(s). */
export function renderMail(mail: LaidMail, brand: Brand, language: Language): { text: string; html: string } {
  return { text: renderText(mail, brand, language), html: renderHtml(mail, brand, language) }
}

/** Fills the brand's name into the text of a page. */
export function fillIn(text: string, brand: Brand): string {
  return text.replaceAll('{brand}', () => brand.name)
}

/** Removes line breaks and invisible characters, because names that users choose must not add lines to our text. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim()
}

// U+2060 is invisible and prevents a line break.
const WORD_JOINER = '\u2060'

/**
 * Writes a name that users choose so that mail programs do not turn it into a link or an address. Otherwise the author
 * of the name could lead the reader to any site.
 */
export function withoutLinks(name: string): string {
  return oneLine(name).replaceAll(/[.:/@\u3002\uFF0E\uFF61](?=\S)/g, (mark) => `${WORD_JOINER}${mark}${WORD_JOINER}`)
}

/** Writes a name so that its last mark and the text after it make no link, such as `evil.` before `com`. */
export function endWithoutLink(name: string, behind: string): string {
  return /[.:/@\u3002\uFF0E\uFF61]$/.test(name) && /^\S/.test(behind) ? `${name}${WORD_JOINER}` : name
}

function renderText({ heading, blocks, footer }: LaidMail, brand: Brand, language: Language): string {
  const help = brand.supportEmail ? `\n${texts.mail.layout.help(language, { address: brand.supportEmail })}` : ''
  const lines = blocks.map((block) => {
    if ('text' in block) return block.text
    return 'code' in block ? block.code : `${block.button.label}:\n${hrefOf(block.button)}`
  })
  return `${[heading, ...lines, footer, `-- \n${brand.name}${help}`].join('\n\n')}\n`
}

function hrefOf({ url }: Button): string {
  const { protocol, href } = new URL(url)
  if (!/^https?:$/.test(protocol)) throw new Error('A link in an email must be http(s)')
  return href
}

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

// Some mail clients ignore style sheets, so light colors are inline and the style sheet overrides them with dark ones.
const STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#111214!important}.card{background:#1c1d20!important;border-color:#303238!important}
.ink{color:#f2f3f5!important}.soft{color:#a4a7ae!important}
.code{background:#27292d!important;color:#f2f3f5!important;border-color:#3a3d44!important}
.button{background:#f2f3f5!important;color:#16171a!important}.rule{border-color:#303238!important}}`

function renderHtml({ heading, blocks, footer }: LaidMail, brand: Brand, language: Language): string {
  const body = [
    `<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650;color:#16171a">${escapeHtml(heading)}</h1>`,
    ...blocks.map((block) => renderBlock(block, language)),
    `<p class="soft rule" style="margin:24px 0 0;padding:16px 0 0;border-top:1px solid #e4e5e8;font-size:14px;line-height:1.5;color:#62656d">${escapeHtml(footer)}</p>`,
  ]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${STYLES}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6;overflow-wrap:anywhere;word-break:break-word;${FONT}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px">
<tr><td class="soft" style="padding:0 4px 12px;font-size:15px;font-weight:600;color:#62656d">${renderBrand(brand)}</td></tr>
<tr><td class="card" style="padding:28px 24px;background:#ffffff;border:1px solid #e4e5e8;border-radius:12px">
${body.join('\n')}
</td></tr>${renderHelp(brand, language)}
</table>
</td></tr></table>
</body>
</html>
`
}

function renderBrand({ name, logoUrl }: Brand): string {
  if (logoUrl === null) return escapeHtml(name)
  return `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" style="display:block;max-width:240px;max-height:40px;border:0">`
}

function renderHelp({ supportEmail }: Brand, language: Language): string {
  if (supportEmail === null) return ''
  return `
<tr><td class="soft" style="padding:12px 4px 0;font-size:13px;line-height:1.5;color:#62656d">${helpHtml(language, supportEmail)}</td></tr>`
}

/** The line with the linked address for help. */
function helpHtml(language: Language, address: string): string {
  const link = `<a href="${escapeHtml(mailtoAddress(address))}" class="soft" style="color:#62656d">${escapeHtml(address)}</a>`
  // Our texts contain no line break, so it can mark the place of the link.
  return escapeHtml(texts.mail.layout.help(language, { address: '\n' })).replace('\n', () => link)
}

function renderBlock(block: Block, language: Language): string {
  if ('text' in block) return renderParagraph(block.text)
  return 'code' in block ? renderCode(block.code) : renderButton(block.button, language)
}

function renderParagraph(text: string): string {
  return `<p class="ink" style="margin:0 0 16px;font-size:16px;line-height:1.55;color:#16171a">${escapeHtml(text)}</p>`
}

function renderCode(code: string): string {
  return `<p class="code" style="margin:8px 0 20px;padding:16px 12px;background:#f3f4f6;border:1px solid #e4e5e8;border-radius:8px;text-align:center;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:24px;line-height:1.3;font-weight:600;color:#16171a">${escapeHtml(code)}</p>`
}

function renderButton(button: Button, language: Language): string {
  const href = hrefOf(button)
  const url = escapeHtml(href)
  return `<p style="margin:8px 0 20px"><a class="button" href="${url}" style="display:inline-block;padding:12px 22px;background:#16171a;border-radius:8px;font-size:16px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p class="soft" style="margin:0 0 16px;font-size:13px;line-height:1.5;color:#62656d;word-break:break-all">${escapeHtml(texts.mail.layout.orOpenLink(language, { url: href }))}</p>`
}
