// Loaded into a server that is measured: at SIGUSR2 it collects its garbage and writes how many bytes live.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { SVC_BENCH_LIVE_HEAP: file } = process.env;

process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // Twice: what the first collection finalizes is garbage of the second.
  for (let turn = 0; turn < 2; turn += 1) collect({ type: 'major', execution: 'sync' });
  writeFileSync(`${file}.draft`, String(process.memoryUsage().heapUsed));
  renameSync(`${file}.draft`, file);
});
