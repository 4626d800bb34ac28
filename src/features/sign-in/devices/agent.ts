/** Of programs that name others as well, the one that they are comes first. */
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

/** What a program says of itself in `User-Agent`, as far as a person would tell it apart. */
export interface Agent {
  /** Undefined for what is not known. */
  browser: string | undefined
  system: string | undefined
  /** The same for every version of it. */
  family: string
}

/** The program behind a `User-Agent`; one that is not known is told apart by the name with which it begins. */
export function readAgent(userAgent: string): Agent {
  const find = (known: typeof BROWSERS) => known.find(([token]) => userAgent.includes(token))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  const known = browser && (system ? `${browser} on ${system}` : browser)
  return { browser, system, family: known ?? `${system ?? ''}/${/^[^/\s]{0,64}/.exec(userAgent)?.[0]}` }
}
