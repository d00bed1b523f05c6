import { resolve } from 'node:path';
import { Expressions, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { type FileProblem, formatProblem, ManifestReading } from '../../manifests/contract.ts';
import { checkConnector } from '../service/compile-connectors.ts';

/** `svc connector check <path>...` lists every problem of these manifests and runs their examples. */
export const checkTool: LocalTool = {
  name: 'connector-check',
  async run(use, { args }) {
    const reading = use(ManifestReading);
    const { connectors, problems } = await reading.read(args);
    const installed = await reading.installed({});
    const origins = new Map(installed.connectors.map(({ manifest, origin }) => [manifest.name, origin]));
    const checked = connectors.map((connector) => {
      const { manifest, origin: file } = connector;
      const found: FileProblem[] = checkConnector(connector, use(Expressions)).map((one) => ({ file, ...one }));
      const other = origins.get(manifest.name);
      if (other !== undefined && other !== resolve(file)) found.push({ file, ...nameTaken(manifest.name, other) });
      problems.push(...found);
      return {
        file,
        name: manifest.name,
        actions: Object.keys(manifest.actions ?? {}).length,
        examples: manifest.examples?.length ?? 0,
        ok: found.length === 0,
      };
    });
    const lines = [
      ...checked.filter(({ ok }) => ok).map((one) => `${one.file}: ${one.name} is valid (${countsOf(one)})`),
      ...problems.map(({ file, ...problem }) => `${file}: ${formatProblem(problem)}`),
    ];
    return { json: { connectors: checked, faults: problems }, text: lines.join('\n'), ok: problems.length === 0 };
  },
};

const countsOf = ({ actions, examples }: { actions: number; examples: number }): string =>
  `${actions} ${actions === 1 ? 'action' : 'actions'}, ${examples} ${examples === 1 ? 'example' : 'examples'}`;

const nameTaken = (name: string, other: string) => ({
  pointer: '/name',
  rule: 'name_taken',
  message: `${name} is also the name of ${other}`,
  fix: 'give the connector another name; its node types start with it',
});
