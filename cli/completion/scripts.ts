import type { Command, Run, ScriptVerb } from '../command.ts';
import { usageError } from '../errors.ts';
import { flagsOf } from '../flags.ts';

/** What a script holds itself, so that these words come without a process; values are asked for by `svc __complete`. */
interface Words {
  /** First words of commands and verbs, each with its second words. */
  nouns: Map<string, string[]>;
  flags: Map<string, string[]>;
}

function words(list: readonly Command[], verbs: readonly ScriptVerb[]): Words {
  const nouns = new Map<string, string[]>([['help', []]]);
  const flags = new Map<string, string[]>();
  const add = (name: string, own: object) => {
    const [first = '', second] = name.split(' ');
    nouns.set(first, [...new Set([...(nouns.get(first) ?? []), ...(second ? [second] : [])])]);
    flags.set(name, [...new Set([...(flags.get(name) ?? []), ...Object.keys(own).map((flag) => `--${flag}`)])]);
  };
  for (const command of list) add(command.name, flagsOf(command));
  for (const { verb, flags: own = {} } of verbs) add(verb, own);
  return { nouns, flags };
}

function bash({ nouns, flags }: Words): string {
  const second = [...nouns]
    .filter(([, verbs]) => verbs.length > 0)
    .map(([noun, verbs]) => `    ${noun}) verbs="${verbs.join(' ')}" ;;`);
  const named = [...flags].map(([name, list]) => `    "${name}") flags="${list.join(' ')}" ;;`);
  return `# svc completion for bash
_svc_values() {
  local line found=$("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null)
  if [ "$found" = :files ]; then COMPREPLY=($(compgen -f -- "$1")); return; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -n "$line" ]; then COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done <<<"$found"
}
_svc() {
  local word=\${COMP_WORDS[COMP_CWORD]} verbs= flags= name=\${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${[...nouns.keys()].join(' ')}" -- "$word")); return; fi
  case $name in
${second.join('\n')}
  esac
  if [ -n "$verbs" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$verbs" -- "$word")); return; fi
    name="$name \${COMP_WORDS[2]}"
  fi
  case $name in
${named.join('\n')}
  esac
  case $word in
    -*=*) _svc_values "$word" ;;
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) _svc_values "$word" ;;
  esac
}
complete -o filenames -F _svc svc
`;
}

const zsh = (found: Words) => `#compdef svc\nautoload -U +X bashcompinit && bashcompinit\n${bash(found)}`;

const FISH_VALUES = `function __svc_values
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l found ($words[1] __complete $words[2..] "$typed" 2>/dev/null)
  if test "$found" = :files
    __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed")
  else if test (count $found) -gt 0
    string join \\n -- $found
  end
end
complete -c svc -f
complete -c svc -n 'not __fish_use_subcommand' -a '(__svc_values)'`;

const seen = (names: string) => `__fish_seen_subcommand_from ${names}`;
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(list: readonly Command[], verbs: readonly ScriptVerb[], { nouns }: Words): string {
  const described = [
    ...list.map((command) => ({ ...command, flags: flagsOf(command) })),
    ...verbs.map(({ verb, brief = '', flags = {} }) => ({ name: verb, summary: brief, flags })),
  ];
  const lines = described.flatMap(({ name, summary, flags }) => {
    const [first = '', second] = name.split(' ');
    const wanted = second ? `${seen(first)}; and not ${seen(nouns.get(first)!.join(' '))}` : '__fish_use_subcommand';
    // Many nouns have the verb `ls`: the flags of each belong to the pair.
    const given = second ? `${seen(first)}; and ${seen(second)}` : seen(first);
    const options = Object.entries(flags).map(([flag, { type, short, summary: says }]) =>
      [
        `complete -c svc -n '${given}' -l ${flag}`,
        ...(short ? [`-s ${short}`] : []),
        ...(type === 'boolean' ? [] : [`-xa '(__svc_values)'`]),
        `-d ${quoted(says)}`,
      ].join(' '),
    );
    return [`complete -c svc -n '${wanted}' -a ${second ?? first} -d ${quoted(summary)}`, ...options];
  });
  const groups = [...nouns].filter(([noun, own]) => own.length > 0 || noun === 'help').map(([noun]) => noun);
  const first = groups.map((noun) => `complete -c svc -n __fish_use_subcommand -a ${noun}`);
  return `# svc completion for fish\n${[FISH_VALUES, ...first, ...lines].join('\n')}\n`;
}

export const run: Run = async ({ args, output, commands, verbs: loadVerbs }) => {
  const verbs = await loadVerbs();
  const found = words(commands, verbs);
  const scripts: Record<string, () => string> = {
    bash: () => bash(found),
    zsh: () => zsh(found),
    fish: () => fish(commands, verbs, found),
  };
  const script = scripts[args[0]!];
  if (!script) throw usageError(`there is no completion for "${args[0]}"`, 'use bash, zsh or fish');
  output.write(script());
  return undefined;
};
