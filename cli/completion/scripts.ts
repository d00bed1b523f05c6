import type { Command, Run, ScriptVerb } from '../command.ts';
import { usageError } from '../errors.ts';
import { flagsOf } from '../flags.ts';

/** The words that a script contains itself, so that they need no process. Values come from `svc __complete`. */
interface Words {
  /** The first words of commands and verbs, each with its second words. */
  nouns: Map<string, string[]>;
  flags: Map<string, string[]>;
  /** Commands whose flags depend on the workflow that the line names. */
  with_inputs: string[];
}

function collectWords(list: readonly Command[], verbs: readonly ScriptVerb[]): Words {
  const nouns = new Map<string, string[]>([['help', []]]);
  const flags = new Map<string, string[]>();
  const add = (name: string, command_flags: object) => {
    const [first = '', second] = name.split(' ');
    nouns.set(first, [...new Set([...(nouns.get(first) ?? []), ...(second ? [second] : [])])]);
    flags.set(name, [
      ...new Set([...(flags.get(name) ?? []), ...Object.keys(command_flags).map((flag) => `--${flag}`)]),
    ]);
  };
  for (const command of list) add(command.name, flagsOf(command));
  for (const { verb, flags: command_flags = {} } of verbs) add(verb, command_flags);
  return { nouns, flags, with_inputs: list.filter(({ inputs }) => inputs).map(({ name }) => name) };
}

function bash({ nouns, flags, with_inputs }: Words): string {
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
  case $name in
    ${with_inputs.map((name) => `"${name}"`).join('|')}) _svc_values "$word"; return ;;
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

const zsh = (words: Words) => `#compdef svc\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;

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

const fishSeen = (names: string) => `__fish_seen_subcommand_from ${names}`;
const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(list: readonly Command[], verbs: readonly ScriptVerb[], { nouns }: Words): string {
  const entries = [
    ...list.map((command) => ({ ...command, flags: flagsOf(command) })),
    ...verbs.map(({ verb, brief = '', flags = {} }) => ({ name: verb, summary: brief, flags })),
  ];
  const lines = entries.flatMap(({ name, summary, flags }) => {
    const [first = '', second] = name.split(' ');
    const position = second
      ? `${fishSeen(first)}; and not ${fishSeen(nouns.get(first)!.join(' '))}`
      : '__fish_use_subcommand';
    // Many nouns have a verb `ls`, so flags belong to the pair of noun and verb.
    const context = second ? `${fishSeen(first)}; and ${fishSeen(second)}` : fishSeen(first);
    const options = Object.entries(flags).map(([flag, { type, short, summary: text }]) =>
      [
        `complete -c svc -n '${context}' -l ${flag}`,
        ...(short ? [`-s ${short}`] : []),
        ...(type === 'boolean' ? [] : [`-xa '(__svc_values)'`]),
        `-d ${fishQuote(text)}`,
      ].join(' '),
    );
    return [`complete -c svc -n '${position}' -a ${second ?? first} -d ${fishQuote(summary)}`, ...options];
  });
  const groups = [...nouns].filter(([noun, verbs]) => verbs.length > 0 || noun === 'help').map(([noun]) => noun);
  const first = groups.map((noun) => `complete -c svc -n __fish_use_subcommand -a ${noun}`);
  return `# svc completion for fish\n${[FISH_VALUES, ...first, ...lines].join('\n')}\n`;
}

export const run: Run = async ({ args, output, commands, verbs: loadVerbs }) => {
  const verbs = await loadVerbs();
  const words = collectWords(commands, verbs);
  const scripts: Record<string, () => string> = {
    bash: () => bash(words),
    zsh: () => zsh(words),
    fish: () => fish(commands, verbs, words),
  };
  const script = scripts[args[0]!];
  if (!script) throw usageError(`unsupported shell "${args[0]}"`, 'use bash, zsh or fish');
  output.write(script());
  return undefined;
};
