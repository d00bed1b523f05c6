import {
  AccessControl,
  Database,
  definePlugin,
  HttpAddress,
  HttpRoutes,
  Sealer,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { Members, Scopes } from '../../security/access/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { RunReader, RunStore } from '../runs/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { approvalRoutes } from './routes.ts';
import { AnswerLinks } from './service/answer-links.ts';
import { Questions } from './service/questions.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    const questions = new Questions({ reader: use(RunReader), masks: use(RunMasks) });
    const links = new AnswerLinks({
      database: use(Database),
      sealer: use(Sealer),
      audit: use(Audit),
      scopes: use(Scopes),
      members: use(Members),
      address: use(HttpAddress),
      store: use(RunStore),
      questions,
    });
    return approvalRoutes({ questions, links, access: use(AccessControl) });
  });
});
