import type { Run } from '../command.ts';
import { pluginTree } from '../output/plugin-tree.ts';
import { loadKernel } from '../prebuilt/prebuilt.mjs';

export const run: Run = async ({ output, env }) => {
  const { plan, readSettings, readWings } = await loadKernel('local');
  const candidates = await plan(readSettings('server', env).plugins, { env });
  const wings = await readWings();
  output.data({ plugins: candidates.map(({ manifest, builtin, wing }) => ({ ...manifest, builtin, wing })) }, () =>
    pluginTree(candidates, wings),
  );
  return undefined;
};
