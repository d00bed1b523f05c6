import { extensionPoint } from '../../../../kernel/contracts/index.ts';

/** An executor whose work starts no program and reads no file of a machine: it needs no isolation. */
export interface LightExecutor {
  executor: string;
}

export const LightExecutors = extensionPoint<LightExecutor>('runs.LightExecutors', { key: ({ executor }) => executor });
