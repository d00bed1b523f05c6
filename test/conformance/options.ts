import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `usage: npm run conformance -- --base-url <address> [flags] [<feature file>...]
       npm run conformance -- --write-providers <file>

  --base-url <address>   the server to be shown
  --token <token>        of an owner of an org; SVC_TOKEN keeps it out of the process list
  --svc <program>        the command line of the implementation (default: this clone's)
  --reach <host>         the name or address under which the server and its agents reach this machine; without it,
                         scenarios with systems that they call are not applicable
  --providers <file>     the file that SVC_CONNECTED_ACCOUNT_PROVIDERS of the server names: the provider that it tells of
                         runs here meanwhile; without it, scenarios about connected accounts are not applicable
  --public-url <address> the server's SVC_PUBLIC_URL, if it is set
  --spec-only            leave out scenarios that show the contract only: codes, paths and shapes that the
                         specification leaves open
  --report <folder>      write conformance.json, junit.xml and report.html there
  --shard <nth>/<count>  run this part of the scenarios only

  --write-providers <file>  write such a file of providers, for the operator, and end
`;

export interface Options {
  base_url: string;
  token: string;
  svc?: string;
  reach?: string;
  providers?: string;
  public_url?: string;
  spec_only: boolean;
  report?: string;
  shard?: string;
  files: string[];
}

/** The file that a call with `--write-providers` names; undefined for every other call. */
export function providersToWrite(args: readonly string[]): string | undefined {
  const [flag, file, ...more] = args;
  return flag === '--write-providers' && file !== undefined && more.length === 0 ? resolve(file) : undefined;
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
        providers: text,
        'public-url': text,
        'spec-only': { type: 'boolean' },
        report: text,
        shard: text,
      },
      allowPositionals: true,
    });
    const { 'base-url': base_url, token = env.SVC_TOKEN, svc, reach, providers, report, shard } = values;
    const public_url = values['public-url'];
    if (public_url !== undefined && !URL.canParse(public_url)) return undefined;
    if (!base_url || !URL.canParse(base_url) || !token || !isShard(shard)) return undefined;
    return {
      base_url: base_url.replace(/\/+$/, ''),
      token,
      spec_only: values['spec-only'] === true,
      files: positionals,
      ...(svc === undefined ? {} : { svc: resolve(svc) }),
      ...(report === undefined ? {} : { report: resolve(report) }),
      ...(reach === undefined ? {} : { reach }),
      ...(providers === undefined ? {} : { providers: resolve(providers) }),
      ...(public_url === undefined ? {} : { public_url: public_url.replace(/\/+$/, '') }),
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
