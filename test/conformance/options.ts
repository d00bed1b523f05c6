import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `usage: npm run conformance -- --base-url <address> [flags] [<feature file>...]

  --base-url <address>   the server to be shown
  --token <token>        of an owner of an org; SVC_TOKEN keeps it out of the process list
  --svc <program>        the command line of the implementation (default: this clone's)
  --reach <host>         the name or address under which the server and its agents reach this machine; without it,
                         scenarios with systems that they call are not applicable
  --spec-only            leave out scenarios that show the contract only: codes, paths and shapes that the
                         specification leaves open
  --report <folder>      write conformance.json, junit.xml and report.html there
  --shard <nth>/<count>  run this part of the scenarios only
`;

export interface Options {
  base_url: string;
  token: string;
  svc?: string;
  reach?: string;
  spec_only: boolean;
  report?: string;
  shard?: string;
  files: string[];
}

/** Undefined for what the usage does not allow. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        'base-url': text,
        token: text,
        svc: text,
        reach: text,
        'spec-only': { type: 'boolean' },
        report: text,
        shard: text,
      },
      allowPositionals: true,
    });
    const { 'base-url': base_url, token = env.SVC_TOKEN, svc, reach, report, shard } = values;
    if (!base_url || !URL.canParse(base_url) || !token || !isShard(shard)) return undefined;
    return {
      base_url: base_url.replace(/\/+$/, ''),
      token,
      spec_only: values['spec-only'] === true,
      files: positionals,
      ...(svc === undefined ? {} : { svc: resolve(svc) }),
      ...(report === undefined ? {} : { report: resolve(report) }),
      ...(reach === undefined ? {} : { reach }),
      ...(shard === undefined ? {} : { shard }),
    };
  } catch {
    return undefined; // An unknown flag: the usage says which there are.
  }
}

function isShard(shard: string | undefined): boolean {
  const [, nth, count] = /^(\d+)\/(\d+)$/.exec(shard ?? '1/1') ?? [];
  return Number(nth) >= 1 && Number(nth) <= Number(count);
}
