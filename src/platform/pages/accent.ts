/** The colors of a card and of its text. An accent must stand out from the card. */
const SCHEMES = {
  light: { card: '#ffffff', ink: '#16171a' },
  dark: { card: '#1c1d20', ink: '#f2f3f5' },
} as const

/** WCAG 2.2: text (1.4.3), and what makes a button a button (1.4.11). */
const TEXT_CONTRAST = 4.5
const BUTTON_CONTRAST = 3

/** An accent as a scheme can show it: the button, its label, and links. */
export interface AccentColors {
  button: string
  label: string
  link: string
}

/**
 * The colors that result from an accent. If the accent does not stand out from the card, buttons or links have the text color.
 * `accent` is `#` with six hexadecimal digits.
 */
export function accentColors(accent: string, scheme: keyof typeof SCHEMES): AccentColors {
  const { card, ink } = SCHEMES[scheme]
  const contrast = contrastOf(accent, card)
  const button = contrast >= BUTTON_CONTRAST ? accent : ink
  return { button, label: readableOn(button), link: contrast >= TEXT_CONTRAST ? accent : ink }
}

/** White if it has enough contrast, otherwise black. One of the two always has a contrast of at least 4.5. */
function readableOn(background: string): string {
  return contrastOf(background, '#ffffff') >= TEXT_CONTRAST ? '#ffffff' : '#000000'
}

/** Contrast of two colors, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)

/** A style sheet that sets the colors of an accent. */
export function accentStyles(accent: string): string {
  const rule = (scheme: keyof typeof SCHEMES) => {
    const { button, label, link } = accentColors(accent, scheme)
    return `:root{--accent:${button};--on-accent:${label};--link:${link}}`
  }
  return `${rule('light')}\n@media (prefers-color-scheme:dark){${rule('dark')}}\n`
}
