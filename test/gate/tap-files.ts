import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Parser } from 'tap-parser';

/** Every tap file is a program; this runs them side by side, prints what failed and the totals of their asserts. */
const PATTERN = ['{kernel,plugins,cli}/**/*.test.ts', 'test/**/*.test.ts'];

interface FileResult {
  file: string;
  passed: number;
  failed: number;
  seconds: number;
  text: string;
}

async function runFile(file: string): Promise<FileResult> {
  const start = Date.now();
  const env = { ...process.env, TAP_TIMEOUT: '1800' };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const parser = new Parser();
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdout.on('data', (chunk: Buffer) => parser.write(chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  parser.end();
  const { passed, failed } = asserts(parser);
  const broken = code !== 0 && failed === 0 ? 1 : 0;
  return {
    file,
    passed,
    failed: failed + broken,
    seconds: (Date.now() - start) / 1000,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Top-level tests of the file: each is one subtest or assert. */
function asserts(parser: Parser): { passed: number; failed: number } {
  const { pass = 0, fail = 0 } = parser.results ?? {};
  return { passed: pass, failed: fail };
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const files: string[] = [];
  for await (const file of glob(PATTERN))
    if (wanted.length === 0 || wanted.some((part) => file.includes(part))) files.push(file);
  // The longest first, which are those of whole servers, so that none of them is left for the end alone.
  const whole = (file: string) => (file.startsWith('test/') ? 0 : 1);
  files.sort((a, b) => whole(a) - whole(b) || (a < b ? -1 : 1));
  const results: FileResult[] = [];
  const queue = [...files];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(file);
      results.push(result);
      if (result.failed > 0) process.stdout.write(`${result.text}\n`);
      process.stdout.write(
        `${result.failed > 0 ? 'FAIL' : 'ok  '} ${file}: ${result.passed} passed, ${result.failed} failed (${result.seconds.toFixed(1)} s)\n`,
      );
      for (const line of result.text.split('\n').filter((one) => /^\s*# left out: /.test(one)))
        process.stdout.write(`${line.replace(/^\s*# /, '')}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  const sum = (pick: (result: FileResult) => number) => results.reduce((total, result) => total + pick(result), 0);
  process.stdout.write(`${sum((one) => one.passed)} passed, ${sum((one) => one.failed)} failed\n`);
  process.exitCode = results.every(({ failed }) => failed === 0) && results.length > 0 ? 0 : 1;
}

await main();
