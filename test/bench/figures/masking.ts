import { randomBytes } from 'node:crypto';
import { atLeast, type Figure, mustBe } from '../figure.ts';
import type { Api } from '../api.ts';
import { median } from '../statistics.ts';

const SECRETS = 100;
const LINE = '2026-11-21T12:00:00Z INFO building core/util with --verbose and target=release: done in 12 ms\n';

/** Seconds of one run that prints so many lines, by the server's own record. */
async function secondsOf(api: Api, lines: number): Promise<number> {
  const run_id = await api.submit({ source: `yes '${LINE.trimEnd()}' | head -n ${lines}` });
  await api.reaches(run_id, 'succeeded');
  mustBe('bytes in the log', await api.logBytes(run_id), lines * LINE.length);
  return api.secondsOf([run_id]);
}

/** Tokens with the beginnings that real ones have, and a few keys of many lines. */
function value(index: number): string {
  if (index % 10 > 0) return ['ghp_', 'sk-', 'xoxb-', ''][index % 4]! + randomBytes(20).toString('base64url');
  return randomBytes(1200).toString('base64').replaceAll(/.{64}/g, '$&\n');
}

export const masking: Figure = {
  name: 'masking',
  summary: `a log with ${SECRETS} secrets beside the same log with none`,
  measure: (bench) =>
    bench.at({}, async (place) => {
      const api = place.api();
      const lines = bench.size(200_000, 20_000);
      const mib = (lines * LINE.length) / 1024 ** 2;
      const rounds = bench.size(5, 2);
      const seconds = { none: [] as number[], many: [] as number[] };
      const names = Array.from({ length: SECRETS }, (_, index) => `SECRET_${index}`);
      await secondsOf(api, lines);
      // In turns, so that whatever else slows the machine slows both.
      for (let round = 0; round < rounds; round += 1) {
        seconds.none.push(await secondsOf(api, lines));
        for (const [index, name] of names.entries()) await api.setSecret(name, value(index));
        // Once for a set of values, not for every run with it: what knows them is made.
        await secondsOf(api, 1);
        seconds.many.push(await secondsOf(api, lines));
        for (const name of names) await api.removeSecret(name);
      }
      api.close();
      return [
        {
          figure: `log of ${Math.round(mib)} MiB, ${SECRETS} secrets`,
          unit: 'MiB/s',
          ours: mib / median(seconds.many),
          floor: { value: mib / median(seconds.none), is: 'the same log without secrets' },
          goal: atLeast(0.9),
          done: lines * rounds,
        },
      ];
    }),
};
