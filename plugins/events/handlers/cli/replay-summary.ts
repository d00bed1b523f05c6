import type { Api } from '../../../../cli/contract.ts';

/** Such as `done: 12 runs started, 3 declined`. */
export function summarizeReplay({ state, delivered, declined, refused }: Api.EventReplayView): string {
  const parts = [
    `${delivered} ${delivered === 1 ? 'run' : 'runs'} started`,
    declined > 0 && `${declined} declined`,
    refused > 0 && `${refused} refused`,
  ];
  return `${state}: ${parts.filter(Boolean).join(', ')}`;
}
