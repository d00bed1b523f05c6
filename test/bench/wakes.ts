import type { Api } from './api.ts';
import { mustBe } from './figure.ts';
import { resumed } from './scripts.ts';
import { linesOf, wallMs } from './statistics.ts';

/** Milliseconds from a signal by `signaller` until the run continues that `watcher` submitted. `file` must be new. */
export async function wakesOf(watcher: Api, signaller: Api, file: string, count: number): Promise<number[]> {
  const sent: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const run_id = await watcher.submit({ source: resumed(file, 1) });
    await watcher.reaches(run_id, 'waiting');
    sent.push(wallMs());
    await signaller.signal(run_id, 'go');
    await linesOf(file, index + 1);
    await watcher.reaches(run_id, 'succeeded');
  }
  watcher.close();
  signaller.close();
  const lines = await linesOf(file, count);
  mustBe('resumed scripts', lines.length, count);
  return lines.map((line, index) => line / 1000 - sent[index]!);
}
