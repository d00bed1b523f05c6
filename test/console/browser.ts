import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Test } from 'tap';
import { openChromium } from '../../features/support/chromium.ts';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';

interface ConsoleOptions {
  port?: number;
  env?: Record<string, string>;
}

/**
 * Every inline style that the content security policy refused, except in a text that is edited: Chromium gives a text that is
 * typed over the look of the old one by such a style, whoever wrote the page.
 */
const TELLS_INLINE_STYLES = `document.addEventListener('securitypolicyviolation', (event) => {
  const edited = event.composedPath().some((part) => part instanceof Element && part.matches('.cm-content'));
  if (!edited) console.error('The policy refused ' + event.effectiveDirective + ' in ' + event.target.nodeName);
});`;

/**
 * How long a page may take to show what a test waits for. Only a failing test waits this long, so it leaves room for a machine
 * that is ten times slower than the one on which the test was written.
 */
export const PAGE_WAIT_MS = 120_000;

/** `svc dev` in a folder of its own, and a browser. */
export class Console {
  readonly #browser: Browser;
  #dev: Service;
  readonly #env: Record<string, string>;
  readonly #workers: Service[] = [];
  readonly folder: string;
  url = '';
  token = '';
  /** What went wrong in pages: errors, and everything that the content security policy refused. */
  readonly faults: string[] = [];
  /** Requests of pages that got no response or an error: what explains a page that does not open. */
  readonly #failed: string[] = [];

  private constructor(parts: { browser: Browser; dev: Service; env: Record<string, string>; folder: string }) {
    this.#browser = parts.browser;
    this.#dev = parts.dev;
    this.#env = parts.env;
    this.folder = parts.folder;
  }

  /** Ends with the test. */
  static async open(t: Test, executablePath: string, options: ConsoleOptions = {}): Promise<Console> {
    const place = await Console.start(executablePath, options);
    t.teardown(async () => {
      if (!t.passing()) process.stderr.write(await place.describePages());
      await place.close();
    });
    return place;
  }

  static async start(executablePath: string, { port = 0, env: more = {} }: ConsoleOptions = {}): Promise<Console> {
    const folder = await homeFolder('svc-console-');
    const env = { PATH: process.env.PATH ?? '', HOME: folder, ...more };
    const dev = new Service(svcProgram, ['dev', '--port', String(port)], { cwd: folder, env });
    const browser = await openChromium(executablePath);
    const place = new Console({ browser, dev, env, folder });
    try {
      const [, url = ''] = await dev.says(/is ready: (\S+)/);
      place.url = url.replace(/\/$/, '');
      const profile = await readFile(join(folder, '.svc/profile.json'), 'utf8');
      place.token = (JSON.parse(profile) as { token: string }).token;
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  svc = (args: readonly string[], stdin?: string) =>
    runToEnd(svcProgram, [...args], { cwd: this.folder, env: this.#env, ...(stdin !== undefined && { stdin }) });

  /** A worker with the workflows of a file in the folder, once it serves them. It ends with the console, or before. */
  async serve(file: string, env: Record<string, string> = {}): Promise<Service> {
    const worker = new Service(svcProgram, ['worker', file], { cwd: this.folder, env: { ...this.#env, ...env } });
    this.#workers.push(worker);
    await worker.says(/svc worker serves/);
    return worker;
  }

  /** Another browser: it shares no cookie with those before. */
  newBrowser(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    return this.#browser.newContext(options);
  }

  async newPage(context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.newBrowser())).newPage();
    page.setDefaultTimeout(PAGE_WAIT_MS);
    // A page that is left aborts what it still loads ahead, which its router reports as a module that cannot be fetched.
    const aborted = new Set<string>();
    page.on('response', (response) => {
      if (response.status() >= 400) this.#failed.push(`${response.url()}: ${response.status()}`);
    });
    page.on('requestfailed', (request) => {
      this.#failed.push(`${request.url()}: ${request.failure()?.errorText}`);
      if (request.failure()?.errorText === 'net::ERR_ABORTED') aborted.add(request.url());
    });
    const note = (text: string) => {
      const [, module] = /dynamically imported module: (\S+)/.exec(text) ?? [];
      if (module === undefined || !aborted.has(module)) this.faults.push(text);
    };
    page.on('pageerror', (error) => note(error.message));
    page.on('console', (message) => {
      // The console says every answer with 4xx as an error; pages show them, and tests look at these.
      if (message.type() === 'error' && !/Failed to load resource|^Applying inline style/.test(message.text()))
        note(message.text());
    });
    await page.addInitScript(TELLS_INLINE_STYLES);
    return page;
  }

  /** A page on which somebody has pasted a token, and where that leads. */
  async signedIn(token = this.token, context?: BrowserContext, leadsTo = 'Overview'): Promise<Page> {
    const page = await this.newPage(context);
    await page.goto(this.url);
    try {
      await page.getByLabel('Access token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: leadsTo }).waitFor();
    } catch (cause) {
      const shown = (await page.content()).slice(0, 2000);
      throw new Error(
        `${page.url()} shows no sign-in (${[...this.faults, ...this.#failed].join('; ') || 'no fault'}): ${shown}`,
        { cause },
      );
    }
    return page;
  }

  /** What the open pages show, and their faults: a test that fails on a page says with it what it waited at. */
  async describePages(): Promise<string> {
    const pages = this.#browser.contexts().flatMap((context) => context.pages());
    const shown = await Promise.all(
      pages.map(async (page) => {
        const text = await page.evaluate('document.body.innerText').catch(String);
        return `${page.url()} shows:\n${String(text).slice(0, 3000)}\n`;
      }),
    );
    return [...shown, ...this.faults, ...this.#failed].join('\n');
  }

  /** Ends the server, and starts it again at the same address. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.#dev.kill(signal);
    const { port } = new URL(this.url);
    this.#dev = new Service(svcProgram, ['dev', '--port', port], { cwd: this.folder, env: this.#env });
    await this.#dev.says(/is ready: (\S+)/);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await Promise.all(this.#workers.map((worker) => worker.kill('SIGTERM')));
    await this.#dev.kill('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }
}

const axeSource = () => readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { html: string }[];
}

/** What axe-core finds wrong on a page, one line each. */
export async function inaccessible(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource());
  const violations = (await page.evaluate(
    "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((all) => all.violations)",
  )) as Violation[];
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
