import t from 'tap';
import { loadVerbs } from '../../cli/tables.ts';
import { verbs } from '../../plugins/execution/scripts/executor/testing/plugins.ts';

const byName = (a: { verb: string }, b: { verb: string }) => a.verb.localeCompare(b.verb);

t.test('the command line knows the verbs of scripts', async (t) => {
  const known = (await loadVerbs({})).toSorted(byName);
  t.same(
    known.map(({ verb, usage }) => ({ verb, usage })),
    verbs.map(({ verb, usage }) => ({ verb, usage })).sort(byName),
  );
});

t.test('each verb has a whole manual, and its usage line names all that it takes', async (t) => {
  for (const { verb, usage, brief, summary, args = [], flags = {}, exits, recorded, examples } of await loadVerbs({})) {
    for (const part of [brief, summary, exits, recorded, examples]) t.ok(part && part.length > 0, verb);
    for (const { name } of args) t.ok(usage.includes(`<${name.split('=')[0]}>`), `${verb} <${name}>`);
    for (const flag of Object.keys(flags)) t.ok(usage.includes(`--${flag}`), `${verb} --${flag}`);
    const written = [...usage.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag);
    t.same(new Set(written), new Set(Object.keys(flags)), verb);
    for (const [code] of examples ?? []) t.ok(code.includes(`svc ${verb}`), code);
  }
});
