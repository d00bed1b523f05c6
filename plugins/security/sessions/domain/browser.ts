const FAMILIES: readonly (readonly [family: string, version: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d{1,4})/],
  ['Opera', /\bOPR\/(\d{1,4})/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d{1,4})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|Chromium|CriOS)\/(\d{1,4})/],
  ['Safari', /\bVersion\/(\d{1,4})[\d.]* (?:Mobile\/\w+ )?Safari\//],
];

const SYSTEMS: readonly (readonly [system: string, pattern: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac(?:intosh| OS X)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

const OTHER = 'another browser';

/** A browser, as its User-Agent names it. Both texts consist of our own words and digits, whatever the header contains. */
export interface Browser {
  /** The program. A session is bound to it. */
  family: string;
  /** For people: `Firefox 140 on Linux`. */
  label: string;
}

export function browserOf(user_agent: string | undefined): Browser {
  const text = (user_agent ?? '').slice(0, 1000);
  const [family = OTHER, pattern] = FAMILIES.find(([, version]) => version.test(text)) ?? [];
  const version = pattern?.exec(text)?.[1];
  const [system] = SYSTEMS.find(([, pattern_recognized]) => pattern_recognized.test(text)) ?? [];
  const name = version === undefined ? family : `${family} ${version}`;
  return { family, label: system === undefined ? name : `${name} on ${system}` };
}
