/**
 * A browser that also sends another browser's token is listed before the other browser. For example, Edge also sends
 * `Chrome/`.
 */
const BROWSERS: [token: string, name: string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['OPT/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['YaBrowser/', 'Yandex Browser'],
  ['Vivaldi/', 'Vivaldi'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['Ddg/', 'DuckDuckGo'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]

const SYSTEMS: [token: string, name: string][] = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['okhttp/', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Macintosh', 'macOS'],
  ['Darwin/', 'iOS or macOS'],
  ['Linux', 'Linux'],
]

/** The program that sends a `User-Agent`, described as a person would recognize it. */
export interface Agent {
  /** Undefined for an unknown program. */
  browser: string | undefined
  system: string | undefined
  /** The same for every version of the program. */
  family: string
}

/** Reads the program from a `User-Agent`. Unknown programs are distinguished by the name at the start of the header. */
export function readAgent(userAgent: string): Agent {
  const find = (known: typeof BROWSERS) => known.find(([token]) => userAgent.includes(token))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  const known = browser && (system ? `${browser} on ${system}` : browser)
  return { browser, system, family: known ?? `${system ?? ''}/${/^[^/\s]{0,64}/.exec(userAgent)?.[0]}` }
}
