import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import t from 'tap';
import { GUIDE, START } from '../../cli/help.ts';
import { loadCommands, loadVerbs } from '../../cli/tables.ts';
import { anchorOf } from '../../docs/site/anchors.ts';
import { runToEnd } from '../../features/support/process.ts';
import { clone } from '../../features/support/target.ts';
import { readOpenapi } from '../tools/openapi.ts';
import { sample, sentences, sentencesIn } from '../tools/sample-sentences.ts';
import { declared } from './errors.ts';
import { blank, lineOf, PAGES, read, withoutExamples } from './pages.ts';
import { consoleTexts, messagesIn, messageTexts, pageTexts, type Shown } from './shown.ts';

/** Turns that no page has, and what to write instead. Add one when a reader stumbles over a sentence. */
const REFUSED: readonly (readonly [turn: RegExp, write: string])[] = [
  [/\bfor ever\b/i, 'forever'],
  [/\bas by default\b/i, 'by default'],
  [/\b(whoever|whosoever)\b/i, 'anyone who, the user who; or name the role'],
  [/\bwhat (becomes?|became|comes?|came) of\b/i, 'the result, the outcome, the progress of'],
  [/\bof those (that|which)\b/i, 'of the … that'],
  [/\bso (long|often) (it|the|that|is|a)\b/i, 'as long as, this often'],
  [/\b(is|are|was) over\b(?! (the|a|its|this|any) )/i, 'has ended, ends'],
  [/\b(tells?|told) (of|what|how|whether|why|it|all|more|nothing)\b/i, 'shows, describes, reports'],
  [/\b(is|are|was|were) told\b/i, 'is notified, gets'],
  [
    /\b(stand|stands|stood) (in|on|at|below|above|before|behind|beside|there|here|as|with|wherever)\b/i,
    'is in, appears in',
  ],
  [/\b(lie|lies|lay) (in|on|at|below|above|beside|side|there|here|outside|elsewhere|where)\b/i, 'is in'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bin place of\b/i, 'instead of'],
  [/\bhand(s|ed|ing)? (on|over|down)\b/i, 'pass, forward'],
  [/\b(go|goes|went|going) on\b/i, 'continue'],
  [/\b(carry|carries|carried|carrying) (out|on)\b/i, 'run, execute'],
  [/\bunder way\b/i, 'in progress'],
  [/\banew\b/i, 'again'],
  [/(,|;|\bor) else\b(?! (is|runs|was)\b)/i, 'otherwise'],
  [/\bshall\b/i, 'must, will'],
  [/\b(mend|mends|mended|mending)\b/i, 'fix'],
  [/\bfaults?\b(?!-injection)/i, 'error, bug, problem'],
  [/\b(refuses?|refused|refusals?|refusing)\b/i, 'reject, rejection'],
  [/\b(judges?|judged|judging|verdicts?)\b/i, 'evaluate, result'],
  [/\bceilings?\b/i, 'limit'],
  [/\b(a|of|in) further (ones?|runs?|orgs?|pass|step|agent|plugin|file)\b/i, 'another, more'],
  [/\bone's own\b|\boneself\b/i, 'your own'],
  [/\bto and fro\b/i, 'round trip'],
  [/\bmade of (it|its|the)\b/i, 'derived from, built from'],
  [/\bblanks\b/i, 'spaces'],
  [/\bwait(s|ing)? for a place\b/i, 'be queued'],
  [/\b(thereof|wherein|hereby|whereas|thence|whence|henceforth)\b/i, 'a plain conjunction'],
  [/\b(seldom|oftentimes|needn't|mustn't|albeit)\b/i, 'rarely, often, does not need to, must not'],
  [/\bno (verb|filter|command|recorded site|member) (of|that)\b/i, 'unknown …, invalid …'],
  [/\b(strangers?|outsiders?) code\b|\bcode of (strangers|outsiders)\b/i, 'untrusted code'],
  [/\bwith (its|their) like\b|\band (its|the) like elsewhere\b/i, 'and similar …'],
  [/\bsays? it of\b|\bsaid of\b/i, 'says about'],
  [/\bthe (present|further) (ones?|call|folder|version)\b/i, 'current, other'],
  [/\bto be had\b/i, 'available'],
  [/\b(further|more) ones\b/i, 'others, or the noun'],
  [/\bin sight\b/i, 'visible'],
  [/\bwish(es)?\b/i, 'want, request'],
  [/\bmay (no more|nothing)\b/i, 'can no longer, cannot'],
  [/\b(is|are|was|were) asked (for|of)\b/i, 'is requested'],
  [/\b(comes?|came) to (one|five|true|a|the) (request|outcome|case)/i, 'has, ends with, becomes'],
  [
    /\bas (it|they) (is|are|was|were) given\b|\bwhat (it|they|a run|the run) (is|are|was|were) given\b/i,
    'unchanged; the input',
  ],
  [/\bof (its|their|his) own (making|kind)\b/i, 'a separate …'],
  [/\b(holes?|figures)\b/i, 'expression, gap; number, measurement'],
  [/\b(hold|holds|held) (up|off)\b(?! (others|by))/i, 'block, delay'],
  [/\bmade (anew|from the beginning)\b/i, 'created again'],
  [/\bat the latest (until|after)\b|\bthen at the latest\b/i, 'until … at the latest, no later than'],
  [/\bprolong(s|ed|ing)?\b/i, 'extend'],
  [/\bsomething else (than|each)\b/i, 'a different …, an unexpected …'],
  [/\b(leads?|led|leading) out of\b/i, 'is outside'],
  [/\bprograms? that stays?\b/i, 'long-running program'],
  [/\b(sends?|sent) (people|a person|them|the browser) back\b/i, 'redirects'],
  [/\bnot one (byte|run|row|more)\b/i, 'none, no byte, one more is rejected'],
  [/\bthe former (one|has)\b/i, 'the previous …'],
  [/\bhas no option\b/i, 'unknown option …; use …'],
  [/\bon the way\b/i, 'in transit'],
  [
    /\b(message|detail|error|log|response|report|command|page)s? says? (so|why|how|where|who|which)\b/i,
    'shows, reports, explains',
  ],
  [/\bfor a yes\b|\b(say|says) (yes|no)\b/i, 'approve, reject, as approval'],
  [
    /(that|which|whom) (`(detail|errors|offset)`|the (message|detail)) names?\b/i,
    'shown in `detail`, listed in `errors`',
  ],
  [
    /\b(takes?|took) (no|only|any) (new|more|trusted|untrusted|other|trusted runs) ?(work|runs|answer|signals?)?\b/i,
    'accepts',
  ],
  [/\bwith which\b/i, 'that … with, that lets …'],
  [
    /\buses nothing up\b|\bis of no use\b|\bis no (failure|error|problem)\b(?! code)/i,
    'has no effect, is not an error',
  ],
  [/\bwithout end\b/i, 'indefinitely'],
  [/\bfor instance\b/i, 'for example'],
  [/\b(asked|asks) (nothing|several things)\b/i, 'has no question, asks several questions'],
  [/\bcounts? for (each|every)\b/i, 'applies to each'],
  [/\bruns? for (each |every |a )?push(es)?\b/i, 'runs on each push'],
  [/\bshort for\b/i, 'shorthand for'],
  [/\b(identical|equal|the same),? byte by byte\b/i, 'byte for byte'],
  [/\bnothing (more |new )?of (it|them|this|a)\b/i, 'nothing in it; the run, the step'],
  [/(?<!\b(can|may|must|to) )\b(has|have) (_|[\d,]+) (bytes|characters)\b(?! or)/i, 'is … bytes long'],
  [/\bflags of every command\b/i, 'global flags'],
  [/\bcosts? (a|one) (half|third|quarter|fifth|sixth|seventh|tenth) of\b/i, 'takes one-seventh as long as'],
  [/\b(is|are) [^.]{0,30}\b(and|or),? too (many|few)\b/i, 'there are too many …, or they are …'],
  [/\beveryone who\b/i, 'anyone who'],
  [/\b(that|which|who) [^.|]{5,60},? (but|and) whose\b/i, 'if …; two sentences'],
  [/\bports? \d+ of\b/i, 'port … on'],
  [/\bof this (length|size)\b/i, 'of length `period`: name the member'],
  [/\b(at|in|on) (its|the) (second|next) (run|start)\b/i, 'when it is run again'],
  [/\bgrows? forever\b/i, 'accumulates, grows indefinitely'],
  [/\b(the|an?) (plugin|connector|node|table|column|header)\x20_{3,}/i, 'the `name` plugin'],
  [/\bthe header [A-Z][a-z]*-/, 'the X-Name header'],
  [/\bwhat (it|the run|a run|each one) waits? for\b/i, 'what it is waiting for'],
  [/\b(runs?|agents?|programs?) with another server and an agent\b/i, 'on your own machine'],
  [/\b(a|the|each|every|its|another) submit\b(?! (button|command|route|form))/i, 'a submission'],
  [/\b(events?|deliver(y|ies)|requests?|they|it|none) (has|have|had) come\b/i, 'has arrived'],
  [/\ba list, separated by\b/i, 'a comma-separated list'],
  [/\b(set|sets|put) a handler on\b/i, 'create a handler for'],
  [/\bfrom before the last\b/i, 'the old …, the previous …'],
  [/\b(payload|input|it|value|answer) (must|does not|do not) fit\b(?! (on|in|into)\b)/i, 'match, be valid'],
  [/\bin the name of the owner\b/i, 'on behalf of'],
  [/\bneeds [^.;]{0,60} and an optional\b/i, 'needs …; … is optional'],
  [/\bevents? of (untrusted runs|another source)\b/i, 'events from'],
  [/\b(signal|wait|calls|flag|variable|files) of (this|that|the same) name\b/i, 'with this name'],
  [/\bfurther (events|deliveries|jobs) wait\b/i, 'other events wait'],
  [/\bthe audit (has|gets|contains)\b/i, 'the audit log contains'],
  [/\b(stays?|stayed) unused\b/i, 'is not consumed'],
  [/\bany such (period|time)\b/i, 'per period'],
  [/\b(is|are) no (object|list|number|string|text|JSON)\b/i, 'is not a …'],
  [/\bfor (its|the run's|their) end\b/i, 'for it to end'],
  [/\bof (this|that|the same) names?\b/i, 'with this name'],
  [
    /\b(an?|the|no) [a-z][a-z -]{1,28} of (its|their|your|my|our) own(?=[.,;:)]|$| (at|for|in|and|with|to)\b)/i,
    'its own …, a separate …',
  ],
  [/\b(fails?|failed) for good\b/i, 'permanently'],
  [/\bstill to come\b/i, 'pending'],
  [/\bby (itself|themselves)\b/i, 'automatically, separately'],
  [/\bg(ives?|ave|iven|iving) (it |them |[a-z]+ [a-z]+ )?back\b/i, 'returns, is returned'],
  [/\bwhom\b/i, 'who, the user that'],
  [/\bin clear\b/i, 'unencrypted'],
  [/\bas (its|the|their) files? says?\b|\bmade by hand\b/i, 'matches its files, created by hand'],
  [/\bhides the (one|org)\b/i, 'overrides'],
  [/\bnothing of\b/i, 'no part of, never the'],
  [/\bnames (no|none)\b|\b(error|message|report) names (the|its|it|a|an)\b/i, 'contains no, shows'],
  [/\bsays? (which|what|where|whether|when|why|how|so|it)\b/i, 'shows, defines, reports'],
  [/\bfiles of their own\b|\b(apply|command|it) does the rest\b/i, 'separate files, completes the rest'],
];

/** The sentences of a page at their lines: no examples, no code, no targets of links. */
const proseOf = (markdown: string): string =>
  withoutExamples(markdown)
    .replaceAll(/``[^`]+``|`[^`]*`/g, (code) => code.replaceAll(/[^\n]/g, '_'))
    .replaceAll(/\]\([^)]*\)/g, blank);

/** One text of each source that a sample draws from. */
const SOURCES = [
  /^README\.md:/,
  /^CHANGELOG\.md:/,
  /^docs\/tutorials\//,
  /^kernel\/adr\//,
  /^plugins\/.*\/README\.md:/,
  /^plugins\/.*\/errors\.ts:/,
  /^plugins\/.*\.schema\.json:/,
  /^plugins\/.*\/plugin\.json:/,
  /^connectors\/.*\/manifest\.json:/,
  /^plugins\/.*\/routes/,
  /^plugins\/.*\/cli\//,
  /^plugins\/execution\/scripts\/sdk\/.*\.mjs:/,
  /^plugins\/operations\/console\/web\//,
  /^cli\//,
  /^features\//,
  /\/explain\//,
];

/** Sentences break across lines, so that a space of a pattern is any white space. */
const acrossLines = (turn: RegExp): RegExp =>
  new RegExp(turn.source.replaceAll(' ', String.raw`\s+`), `${turn.flags}g`);

const refused = REFUSED.map(([turn, write]) => [acrossLines(turn), write] as const);

const turnsIn = (prose: string): { index: number; found: string; write: string }[] =>
  refused.flatMap(([turn, write]) =>
    [...prose.matchAll(turn)].map(({ index, 0: found }) => ({ index, found: found.replaceAll(/\s+/g, ' '), write })),
  );

t.test('pages have none of the turns that a reader stumbles over', async (t) => {
  t.ok(PAGES.length > 80, `${PAGES.length} pages`);
  const odd = PAGES.flatMap((page) => {
    const prose = proseOf(read(page));
    return turnsIn(prose).map(({ index, found, write }) => `${page}:${lineOf(prose, index)}: "${found}" → ${write}`);
  });
  t.same(odd, []);
});

interface Said {
  where: string;
  text: string;
}

/** The texts of these members, wherever they are in a value, each with the place of its object. */
function textsOf(value: unknown, members: readonly string[], where: string): Said[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && members.includes(name)
      ? [{ where: `${where}/${name}`, text: inner }]
      : textsOf(inner, members, `${where}/${name}`),
  );
}

/** What an example does, and what an exit code means: the second of two texts. */
const secondsOf = (rows: readonly (readonly string[])[] | undefined, where: string): Said[] =>
  (rows ?? []).map(([first = '', text = '']) => ({ where: `${where}: ${first}`, text }));

const CLI_TEXTS = ['summary', 'about', 'brief', 'recorded'];

async function helpTexts(): Promise<Said[]> {
  const commands = await loadCommands({});
  const verbs = await loadVerbs({});
  return [
    { where: 'svc', text: START },
    { where: 'svc help', text: GUIDE },
    ...commands.flatMap((command) => [
      ...textsOf(command, CLI_TEXTS, `svc ${command.name}`),
      ...secondsOf(command.examples, `svc ${command.name}`),
    ]),
    ...verbs.flatMap((verb) => [
      ...textsOf(verb, CLI_TEXTS, `svc ${verb.verb}, a verb`),
      ...secondsOf(verb.examples, `svc ${verb.verb}, a verb`),
      ...secondsOf(verb.exits, `svc ${verb.verb}, a verb`),
    ]),
  ];
}

function fileTexts(pattern: string, members: readonly string[]): Said[] {
  return globSync(join(clone, pattern), { exclude: (path) => path.endsWith('node_modules') })
    .toSorted()
    .flatMap((path) => textsOf(JSON.parse(readFileSync(path, 'utf8')), members, relative(clone, path)));
}

const oddTexts = (texts: readonly Said[]): string[] =>
  texts.flatMap(({ where, text }) =>
    turnsIn(text.replaceAll(/`[^`]*`/g, '_')).map(({ found, write }) => `${where}: "${found}" → ${write}`),
  );

t.test('the error catalogue has none of them', async (t) => {
  const texts = (await declared()).flatMap((error) => textsOf(error, ['title', 'next'], error.code));
  t.ok(texts.length > 200, `${texts.length} texts`);
  t.same(oddTexts(texts), []);
});

t.test('the help has none of them', async (t) => {
  const texts = await helpTexts();
  t.ok(texts.length > 700, `${texts.length} texts`);
  t.same(oddTexts(texts), []);
});

t.test('the OpenAPI document, schemas and manifests have none of them', async (t) => {
  const texts = [
    ...textsOf(await readOpenapi(), ['summary', 'description'], 'openapi'),
    ...fileTexts('plugins/*/*/schema/*.schema.json', ['description']),
    ...fileTexts('plugins/*/*/plugin.json', ['summary']),
    ...fileTexts('connectors/*/manifest.json', ['title', 'description', 'summary']),
  ];
  t.ok(texts.length > 1500, `${texts.length} texts`);
  t.same(oddTexts(texts), []);
});

t.test('titles of features have none of them', async (t) => {
  const texts = globSync(join(clone, 'features/**/*.feature'))
    .toSorted()
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^ *(?:Feature|Rule|Scenario(?: Outline)?): *(.+)$/gm)].map(
        ([, text]) => ({
          where: relative(clone, path),
          text: text!,
        }),
      ),
    );
  t.ok(texts.length > 1000, `${texts.length} texts`);
  t.same(oddTexts(texts), []);
});

t.test('a refused turn is found across lines, and not in code', async (t) => {
  t.equal(turnsIn(proseOf('It is kept for\never.')).length, 1);
  t.same(turnsIn(proseOf('Write `for ever`:\n\n```sh\necho for ever\n```\n\n[x](for ever)')), []);
});

t.test('no word is written twice', async (t) => {
  const twice = PAGES.flatMap((page) => {
    const prose = proseOf(read(page));
    return [...prose.matchAll(/(?<![-\w])([a-z]{2,})\s+\1\b/g)].map(
      ({ index, 0: found }) => `${page}:${lineOf(prose, index)}: ${found.replaceAll(/\s+/g, ' ')}`,
    );
  });
  t.same(twice, []);
});

/** Refused turns, and words written twice. Code and values in quotes are not prose. */
function oddShown(texts: readonly Shown[]): string[] {
  const plain = texts.map(({ where, text }) => ({ where, text: text.replaceAll(/`[^`]*`|"\w+"/g, '_') }));
  const twice = plain.flatMap(({ where, text }) =>
    [...text.matchAll(/(?<![-\w])([a-z]{2,})\s+\1\b/g)].map(([found]) => `${where}: ${found}`),
  );
  return [...oddTexts(plain), ...twice];
}

t.test('the pages of the console have neither', async (t) => {
  const texts = consoleTexts();
  t.ok(texts.length > 1300, `${texts.length} texts`);
  t.same(oddShown(texts), []);
});

t.test('the messages of errors and log lines have neither', async (t) => {
  const texts = messageTexts();
  t.ok(texts.length > 1300, `${texts.length} texts`);
  t.same(oddShown(texts), []);
});

t.test('texts are read from the code of pages and messages', async (t) => {
  const page = `const Page = () => (
    <p className="not read" title="Kept for ever">
      Jobs of <b>the run</b>
      {' '}wait for {name}. {done ? 'All done' : \`Wait for \${count} more\`}
    </p>
  );`;
  t.same(
    pageTexts('page.tsx', page).map(({ text }) => text),
    ['Jobs of the run wait for _. _', 'Kept for ever', 'All done', 'Wait for _ more'],
  );
  const messages = `
    throw new Error(\`no run \${id}\`);
    return notFound(id === '' ? 'the ID is empty' : 'the run is gone');
    log.warn({ id }, 'a run is gone');
    const error = { title: 'not this one', next: 'Start ' + 'the run again.' };
    f('nor this one');`;
  t.same(
    messagesIn('a.ts', messages).map(({ text }) => text),
    ['no run _', 'the ID is empty', 'the run is gone', 'a run is gone', 'Start the run again.'],
  );
  t.match(oddShown(pageTexts('page.tsx', page)), [/page\.tsx:2: "for ever" → forever/]);
});

t.test('a sample has sentences of every source, the same ones for a seed', async (t) => {
  const all = sentences();
  t.ok(all.length > 8000, `${all.length} sentences`);
  for (const source of SOURCES)
    t.ok(
      all.some(({ where }) => source.test(where)),
      `none of ${source}`,
    );
  const drawn = sample(all, { seed: 7, count: 50 });
  t.same(drawn, sample(all, { seed: 7, count: 50 }));
  t.equal(new Set(drawn).size, 50);
  t.notSame(drawn, sample(all, { seed: 8, count: 50 }));
  t.equal(sample(all, { seed: 7, count: all.length + 1 }).length, all.length);
});

t.test('code is no sentence', async (t) => {
  const page = `const CLASSES = 'c-state c-roomy second';
  const STYLE = { border: '2px solid var(--accent)' };
  const WORDS = 'async await break case catch class const continue def default defer elif else except export';
  const PROGRAM = 'import json\\nfor one in found: print(one)';
  const ABOUT = 'Starts in ./.svc and ' + 'reads ../docs/x.md there.';`;
  t.same(
    pageTexts('page.tsx', page).map(({ text }) => text),
    ['Starts in ./.svc and reads ../docs/x.md there.'],
    'a sum is one text',
  );
  t.same(
    sentencesIn('x.md', 'See [the page](../docs/x.md) in ./.svc too.').map(({ text }) => text),
    ['See [the page](../docs/x.md) in ./.svc too.'],
  );
});

t.test('a sentence is shown with the line that it begins at', async (t) => {
  const page =
    '# Head\n\nOne `a. b` that\nis long. Two more.\n\n```sh\necho not read\n```\n\n- item\n  of a list\n\n| a | b c |\n';
  t.same(sentencesIn('x.md', page), [
    { where: 'x.md:1', text: 'Head' },
    { where: 'x.md:3', text: 'One `a. b` that is long.' },
    { where: 'x.md:4', text: 'Two more.' },
    { where: 'x.md:10', text: 'item of a list' },
    { where: 'x.md:13', text: 'a' },
    { where: 'x.md:13', text: 'b c' },
  ]);
});

t.test('a link to a heading leads to one', async (t) => {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (page: string): Set<string> => {
    const known =
      anchors.get(page) ?? new Set([...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => anchorOf(text!)));
    anchors.set(page, known);
    return known;
  };
  const broken = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)]
      .filter(([, file, anchor]) => {
        const target = file === '' ? page : join(dirname(page), file!);
        return target.endsWith('.md') && !anchorsOf(target).has(anchor!);
      })
      .map(([link]) => `${page}: ${link}`),
  );
  t.same(broken, []);
});

t.test('words are spelt as in a dictionary, or stand in test/readme/cspell.json', async (t) => {
  const program = join(clone, 'node_modules/cspell/bin.mjs');
  const flags = ['lint', '--no-progress', '--no-summary', '--no-color', '-c', join(clone, 'test/readme/cspell.json')];
  const bounds = { cwd: clone, env: { PATH: process.env.PATH ?? '' }, bound_ms: 120_000 };
  const { exit, stdout, stderr } = await runToEnd(process.execPath, [program, ...flags, ...PAGES], bounds);
  t.equal(exit, 0, stdout + stderr);
});
