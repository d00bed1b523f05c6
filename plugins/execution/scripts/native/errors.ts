import { defineError } from '../../../../kernel/contracts/index.ts';

export const NativeErrors = {
  spawnerUnavailable: defineError({
    code: 'spawner_unavailable',
    status: 503,
    title: 'The program that starts scripts is not running.',
    next: "Run `node plugins/execution/scripts/native/build.mjs` to see why. The agent's log contains the cause.",
  }),
  runtimeFolderUnusable: defineError({
    code: 'runtime_folder_unusable',
    status: 500,
    title: 'The agent cannot start programs from its folder.',
    next: 'Set TMPDIR to a folder that is writable and not mounted `noexec`, then start the agent again.',
  }),
};
