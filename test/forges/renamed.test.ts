import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Expressions } from '../../kernel/contracts/index.ts';
import { readForge } from '../../plugins/integrations/forges/domain/forge.ts';
import type { JsonObject } from '../../plugins/integrations/forges/domain/json-pointer.ts';
import type { ConnectorManifest } from '../../plugins/integrations/manifests/contract.ts';
import { boot } from '../kit/index.ts';
import { SENT } from './examples.ts';

/**
 * A forge signs the body of a delivery and not the header that names its event. Whoever holds a delivery that an outsider
 * caused can send it again under any other name: under none of them may it be trusted.
 */
const kernel = await boot({ plugins: ['expressions'], quiet: true });
t.teardown(() => kernel.close());

const manifestOf = (name: string): ConnectorManifest =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../connectors/${name}/manifest.json`), 'utf8'));

for (const name of ['forge_a', 'forge_b'] as const)
  t.test(`${name}: no untrusted delivery is trusted under another name`, async (t) => {
    const manifest = manifestOf(name);
    const forge = readForge(manifest, kernel.use(Expressions))!;
    const mine = SENT.filter((sent) => sent.forge === name);
    const untrusted = mine.filter(({ event, payload }) => !forge.isTrusted(event, payload as JsonObject));
    t.ok(untrusted.length > (name === 'forge_a' ? 90 : 5), `${untrusted.length} untrusted deliveries`);
    const taken = untrusted.flatMap(({ event, payload }) =>
      Object.keys(manifest.forge!.trust)
        .filter((other) => forge.isTrusted(other, payload as JsonObject))
        .map((other) => `${event}.${String(payload.action)} as ${other}`),
    );
    t.same([...new Set(taken)], []);
    const alone = Object.keys(manifest.forge!.shape!.needs).filter(
      (event) => !mine.some((sent) => sent.event === event),
    );
    t.comment(`${name}: no example of ${alone.join(', ') || 'nothing'}`);
  });
