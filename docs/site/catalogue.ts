import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from './pages.ts';
import { cell, code, joined, table } from './text.ts';

const clone = join(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  title?: string;
  summary?: string;
  description?: string;
  credential?: { kind: string; required?: boolean };
  actions?: Record<string, unknown>;
  hook?: unknown;
}

/** The first sentence of a connector's README. */
function about(name: string): string {
  const [, text = ''] = readFileSync(join(clone, 'connectors', name, 'README.md'), 'utf8').split(/^# .+\n+/m);
  const [first = ''] = text.split(/\n\n/);
  return /^[\s\S]*?[.:](?=\s|$)/.exec(first)?.[0].replaceAll('\n', ' ').replace(/:$/, '.') ?? first;
}

/** Every connector, from its manifest. */
export function cataloguePage(): Page {
  const manifests = globSync('connectors/*/manifest.json', { cwd: clone })
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(clone, file), 'utf8')) as Manifest);
  const rows = manifests.map(({ name, credential, actions = {}, hook }) => [
    `[${name}](/catalogue/${name})`,
    cell(about(name).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
    Object.keys(actions).map(code).join(' '),
    hook === undefined ? '' : 'yes',
    credential === undefined ? 'none' : `${credential.kind}${credential.required === false ? ' (optional)' : ''}`,
  ]);
  return {
    path: 'catalogue',
    group: 'Connector catalogue',
    title: 'Connector catalogue',
    markdown: joined(
      '# Connector catalogue',
      `Find the connector for the system that you want to call or hear from. svc comes with ${manifests.length}; [write your own](/connectors) as one JSON file.`,
      'An action is a node of a graph, `<connector>.<action>`. A connector with a hook also turns deliveries of that system into events (`svc event-hook set <name> --manifest <connector>`). Each page has tested examples.',
      table(['Connector', 'What it does', 'Actions', 'Hook', 'Credential'], rows),
    ),
  };
}
