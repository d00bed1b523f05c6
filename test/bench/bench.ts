import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { Bench } from './bench-run.ts';
import { figures } from './figures/index.ts';
import { report, type ReportRow, reportRow, tableOf } from './report.ts';

const USAGE = `npm run bench -- [--only <name>[,<name>]]... [--quick] [--json <file>|-]

Measures the service beside floors of the same run and prints both. Asserts nothing but that the work was done.
MySQL figures run on SVC_TEST_MYSQL_URL or on a mariadbd or mysqld of this machine. The servers and agents get
SVC_BENCH_NODE_OPTIONS as their NODE_OPTIONS, e.g. "--cpu-prof --cpu-prof-dir=<folder>".

${figures.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}
`;

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const names = values.only.flatMap((one) => one.split(','));
  const unknown = names.find((name) => !figures.some((figure) => figure.name === name));
  if (unknown !== undefined) throw new Error(`there is no figure "${unknown}"`);
  return { ...values, wanted: figures.filter(({ name }) => names.length === 0 || names.includes(name)) };
}

/** Exit 0: everything was measured, met or not; 1: something could not be measured; 2: usage. */
async function main(): Promise<number> {
  let given: ReturnType<typeof options>;
  try {
    given = options();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (given.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  // Children of the floors and of the service alike: with it, every start of Node takes twice as long.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const say = (line: string) => process.stderr.write(`bench: ${line}\n`);
  const bench = new Bench({ quick: given.quick, say });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void bench.close().finally(() => process.exit(128 + constants.signals[signal])));
  const rows: ReportRow[] = [];
  let failed = 0;
  try {
    for (const { name, measure } of given.wanted) {
      const since = performance.now();
      try {
        rows.push(...(await measure(bench)).map((row) => reportRow(name, row)));
        say(`${name} measured in ${((performance.now() - since) / 1000).toFixed(1)} s`);
      } catch (error) {
        failed += 1;
        say(`${name} could not be measured: ${(error as Error).stack}`);
      }
    }
  } finally {
    await bench.close();
  }
  const text = `${JSON.stringify(report(rows, given.quick), null, 2)}\n`;
  if (given.json === '-') process.stdout.write(text);
  else process.stdout.write(`${tableOf(rows, new Map(figures.map(({ name, summary }) => [name, summary])))}\n`);
  if (given.json !== undefined && given.json !== '-') await writeFile(given.json, text);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
