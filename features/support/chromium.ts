import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Undefined where there is no Chromium: tests of pages are left out there, and say so. */
export const chromiumPath = (): string | undefined => BROWSERS.find((path) => existsSync(path));

/** Closed by whoever opened it. */
export const openChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: QUIET });
