import { resolve } from 'node:path';
import { Expressions, type LocalTool } from '../../../kernel/contracts/index.ts';
import { type FileFault, faultLine, ManifestReading } from '../../manifests/contract.ts';
import { checkConnector } from '../service/compile-connectors.ts';

/** `svc connector check <path>...`: every fault of these manifests, and their examples carried out. */
export const checkTool: LocalTool = {
  name: 'connector-check',
  async run(use, { args }) {
    const reading = use(ManifestReading);
    const { connectors, faults } = await reading.read(args);
    const own = await reading.installed({});
    const origins = new Map(own.connectors.map(({ manifest, origin }) => [manifest.name, origin]));
    const checked = connectors.map((connector) => {
      const { manifest, origin: file } = connector;
      const found: FileFault[] = checkConnector(connector, use(Expressions)).map((one) => ({ file, ...one }));
      const other = origins.get(manifest.name);
      if (other !== undefined && other !== resolve(file)) found.push({ file, ...taken(manifest.name, other) });
      faults.push(...found);
      return {
        file,
        name: manifest.name,
        actions: Object.keys(manifest.actions ?? {}).length,
        examples: manifest.examples?.length ?? 0,
        ok: found.length === 0,
      };
    });
    const lines = [
      ...checked.filter(({ ok }) => ok).map((one) => `${one.file}: ${one.name} is sound (${countsOf(one)})`),
      ...faults.map(({ file, ...fault }) => `${file}: ${faultLine(fault)}`),
    ];
    return { json: { connectors: checked, faults }, text: lines.join('\n'), ok: faults.length === 0 };
  },
};

const countsOf = ({ actions, examples }: { actions: number; examples: number }): string =>
  `${actions} ${actions === 1 ? 'action' : 'actions'}, ${examples} ${examples === 1 ? 'example' : 'examples'}`;

const taken = (name: string, other: string) => ({
  pointer: '/name',
  rule: 'name_taken',
  message: `${name} is also the name of ${other}`,
  fix: 'give the connector another name; its node types begin with it',
});
