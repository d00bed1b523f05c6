import { definePlugin } from '../../../kernel/contracts/index.ts';
import { Replay } from './contract.ts';
import { ReplayJournal } from './journal/replay-journal.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  plugin.bind(Replay, () => ({ open: (pass) => new ReplayJournal(pass) }));
});
