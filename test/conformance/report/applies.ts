import type { Options } from '../options.ts';

/** Tags of scenarios that cannot be, or are not to be, run with these options. */
export function leftOutTags({ reach, spec_only }: Pick<Options, 'reach' | 'spec_only'>): string[] {
  return [
    '@own-server',
    '@own-agent',
    ...(reach === undefined ? ['@far-end'] : []),
    ...(spec_only ? ['@contract'] : []),
  ];
}
