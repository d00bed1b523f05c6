import type { Options } from '../options.ts';

/** What decides which scenarios can be, and are to be, run. */
export type Applying = Pick<Options, 'reach' | 'providers' | 'public_url' | 'spec_only'>;

/** Tags of scenarios that are left out with these options. */
export function leftOutTags({ reach, providers, public_url, spec_only }: Applying): string[] {
  return [
    '@own-server',
    ...(reach === undefined ? ['@far-end'] : []),
    ...(providers === undefined ? ['@provider'] : []),
    public_url === undefined ? '@public-url' : '@no-public-url',
    ...(spec_only ? ['@contract'] : []),
  ];
}
