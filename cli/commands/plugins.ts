import { plan, readSettings } from '../../kernel/boot/index.ts';
import type { Run } from '../command.ts';
import { tree } from '../output/plugin-tree.ts';

export const run: Run = async ({ output, env }) => {
  const candidates = await plan(readSettings('server', env).plugins, { env });
  output.data({ plugins: candidates.map(({ manifest, builtin }) => ({ ...manifest, builtin })) }, () =>
    tree(candidates),
  );
  return undefined;
};
