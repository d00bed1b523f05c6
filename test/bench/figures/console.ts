import type { BrowserContext } from 'playwright-core';
import { chromiumPath, openChromium } from '../../../features/support/chromium.ts';
import { boot, type TestServer } from '../../kit/index.ts';
import type { Bench } from '../bench-run.ts';
import { clockOf, longestTask, open, scrollThrough, signedIn } from '../console/browsing.ts';
import { boxesPage, dragOn, makeWideGraph, middleOf } from '../console/canvas.ts';
import { lineRows, makeLongRun, stepRows } from '../console/long-run.ts';
import { PLAIN_READY, type PlainPages, servePlain } from '../console/plain.ts';
import { atMostValue, type Figure, mustBe, type Row } from '../figure.ts';
import { median, wallMs } from '../statistics.ts';
import { fill } from './summary.ts';

/** Tasks below this are not counted by browsers, and nobody notices them. */
const NOTICED_MS = 50;
const LONGEST = atMostValue(50);
const SCROLL_FRAMES = 120;
const ROUNDS = 5;
/** Of a table with a million rows nothing is shown within minutes. */
const PLAIN_LINES = 10_000;

interface At {
  bench: Bench;
  server: TestServer;
  context: BrowserContext;
  plain: PlainPages;
  sizes: { runs: number; steps: number; lines: number; nodes: number };
}

const pageOf = ({ server }: At, path: string) =>
  `${server.url}/orgs/${server.scope.org}/projects/${server.scope.project}${path}`;

const shown = (longest_ms: number) => Math.max(longest_ms, NOTICED_MS);

/** Of several openings, each in a page of its own. */
async function opening(at: At, url: string, ready: string): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, ready_ms } = await open(at.context, url, ready);
    took.push(ready_ms);
    await page.close();
  }
  return median(took);
}

async function frame({ server }: At): Promise<Row> {
  const index = await (await fetch(server.url)).text();
  const loads = [...index.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  let [packed, bytes] = [0, 0];
  for (const path of loads) {
    const whole = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
    bytes += (await whole.arrayBuffer()).byteLength;
    const small = await fetch(server.url + path, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
    packed += Number(small.headers.get('content-length'));
  }
  if (packed === 0) throw new Error('the frame has no size');
  const note = `${Math.round(bytes / 1024)} KB before compression`;
  return {
    figure: 'console: frame of all pages, compressed',
    unit: 'KB',
    ours: packed / 1024,
    goal: atMostValue(160),
    done: loads.length,
    note,
  };
}

async function firstPage(at: At): Promise<Row> {
  const ours = await opening(at, pageOf(at, ''), "document.querySelectorAll('.metric .value').length > 4");
  const floor = { value: await opening(at, `${at.plain.url}/runs`, PLAIN_READY), is: 'an HTML page with 50 runs' };
  return {
    figure: `console: overview of ${at.sizes.runs} runs, usable`,
    unit: 'ms',
    ours,
    floor,
    goal: atMostValue(600),
    done: ROUNDS,
  };
}

const RUN_READY = "document.querySelectorAll('.tl-row').length > 5";
const LOG_READY = "document.querySelectorAll('.log .line').length > 5";
const LOG_READ = "/lines$/.test(document.querySelector('.log-head [role=status]')?.textContent ?? '')";

async function longRun(at: At): Promise<Row[]> {
  const { steps, lines } = at.sizes;
  at.bench.say(`making a run of ${steps} steps and ${lines} lines`);
  const path = pageOf(at, `/runs/${await makeLongRun(at.server, steps, lines)}`);
  const of = `run of ${steps} steps and ${lines} lines of log`;
  const floor = {
    value: await opening(at, `${at.plain.url}/run`, PLAIN_READY),
    is: `an HTML page with the steps and ${Math.min(lines, PLAIN_LINES)} lines`,
  };
  const opens: Row = {
    figure: `console: ${of}, opens`,
    unit: 'ms',
    ours: await opening(at, path, RUN_READY),
    floor,
    goal: atMostValue(1500),
    done: ROUNDS,
  };
  const steps_page = await open(at.context, path, RUN_READY);
  await steps_page.page.bringToFront();
  const timeline = await scrollThrough(steps_page.page, '.tl-rows', SCROLL_FRAMES);
  await steps_page.page.close();
  const { page, ready_ms } = await open(at.context, `${path}?tab=log`, `${LOG_READY} && ${LOG_READ}`);
  const loading = await longestTask(page);
  await page.bringToFront();
  const log = await scrollThrough(page, '.log', SCROLL_FRAMES);
  await page.close();
  const longest = (what: string, ms: number, note?: string): Row => ({
    ...{ figure: `console: longest task while ${what}`, unit: 'ms', ours: shown(ms), goal: LONGEST, done: 1 },
    note: note ?? `tasks below ${NOTICED_MS} ms are not told`,
  });
  return [
    opens,
    longest('a log loads', loading, `the whole log was there after ${Math.round(ready_ms)} ms`),
    longest('a timeline is scrolled', timeline),
    longest('a log is scrolled', log),
  ];
}

/** A card in the middle of the canvas is dragged. */
async function canvas(at: At): Promise<Row> {
  const { nodes } = at.sizes;
  const middle = `[data-id="n${middleOf(nodes)}"]`;
  const editor = pageOf(at, `/graphs/${await makeWideGraph(at.server, nodes)}/edit`);
  const ours = await dragOn(at.context, editor, `.react-flow__node${middle}`);
  const plain = await dragOn(at.context, `${at.plain.url}/boxes`, `.box${middle}`);
  return {
    figure: `console: longest task while a node among ${nodes} is dragged`,
    unit: 'ms',
    ours: shown(ours.longest_ms),
    floor: { value: shown(plain.longest_ms), is: `${nodes} absolutely placed boxes dragged by a plain script` },
    goal: LONGEST,
    done: 1,
    note: `${ours.move_ms.toFixed(1)} ms of script for a move, the floor ${plain.move_ms.toFixed(1)} ms; ${Math.round(ours.frames_s)} frames/s, the floor ${Math.round(plain.frames_s)}`,
  };
}

/** From the sending of a submit until the run stands on the open page. */
async function change(at: At): Promise<Row> {
  const { page } = await open(at.context, pageOf(at, '/runs'), "document.querySelectorAll('tbody tr').length > 20");
  const took: number[] = [];
  const answered: number[] = [];
  // The stream is there once the page has been told of something.
  for (let round = 0; round <= ROUNDS * 2; round += 1) {
    const name = `seen-${round}.sh`;
    const seen = page.evaluate(`new Promise((done) => {
      const look = () => {
        if (!document.body.textContent.includes('${name.slice(0, -3)}')) return;
        watch.disconnect();
        done(performance.timeOrigin + performance.now());
      };
      const watch = new MutationObserver(look);
      watch.observe(document.body, { childList: true, subtree: true, characterData: true });
      look();
    })`);
    // What was asked of the page is there before the change.
    await clockOf(page);
    const since = wallMs();
    mustBe(
      'the status of a submit',
      (await at.server.call('member', `POST ${at.server.scoped}/runs`, { source: 'true', filename: name })).status,
      201,
    );
    const done = wallMs();
    const there = Number(await seen);
    if (round === 0) continue;
    took.push(there - since);
    answered.push(done - since);
  }
  await page.close();
  const floor = { value: median(answered), is: 'the answer of the submit' };
  return {
    figure: 'console: from a submit to the run on the page, p50',
    unit: 'ms',
    ours: median(took),
    floor,
    goal: atMostValue(300),
    done: took.length,
    note: `the slowest: ${Math.round(Math.max(...took))} ms`,
  };
}

export const consolePages: Figure = {
  name: 'console',
  summary: 'pages of the console in Chromium, beside plain HTML tables of the same rows',
  async measure(bench) {
    const executablePath = chromiumPath();
    if (executablePath === undefined) {
      bench.say('left out: there is no Chromium');
      return [];
    }
    const sizes = {
      runs: bench.size(100_000, 5000),
      steps: bench.size(10_000, 1000),
      lines: bench.size(1_000_000, 40_000),
      nodes: bench.size(500, 100),
    };
    const runs = Array.from({ length: 50 }, (_, n) => [`run_${n}`, 'job.sh', 'succeeded', '3 s']);
    const plain = await servePlain(
      { runs, run: [...stepRows(sizes.steps), ...lineRows(Math.min(sizes.lines, PLAIN_LINES))] },
      { boxes: boxesPage(sizes.nodes) },
    );
    const server = await boot({ access: 'project', env: { SVC_RATE_LIMIT: 'off' } });
    const browser = await openChromium(executablePath);
    try {
      await fill(server, sizes.runs);
      const at = { bench, server, plain, sizes, context: await signedIn(browser, server, 'admin') };
      return [await frame(at), await firstPage(at), ...(await longRun(at)), await canvas(at), await change(at)];
    } finally {
      await browser.close();
      await server.close();
      await plain.close();
    }
  },
};
