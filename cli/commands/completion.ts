import type { Command, Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { flagsOf } from '../flags.ts';

interface Words {
  /** First words of commands, each with its second words. */
  nouns: Map<string, string[]>;
  flags: Map<string, string[]>;
}

function words(list: readonly Command[]): Words {
  const nouns = new Map<string, string[]>();
  for (const { name } of list) {
    const [first = '', second] = name.split(' ');
    nouns.set(first, [...(nouns.get(first) ?? []), ...(second ? [second] : [])]);
  }
  return {
    nouns,
    flags: new Map(list.map((command) => [command.name, Object.keys(flagsOf(command)).map((name) => `--${name}`)])),
  };
}

function bash({ nouns, flags }: Words): string {
  const second = [...nouns]
    .filter(([, verbs]) => verbs.length > 0)
    .map(([noun, verbs]) => `    ${noun}) verbs="${verbs.join(' ')}" ;;`);
  const named = [...flags].map(([name, list]) => `    "${name}") flags="${list.join(' ')}" ;;`);
  return `# svc completion for bash
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
  case $word in -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;; *) COMPREPLY=($(compgen -f -- "$word")) ;; esac
}
complete -o filenames -F _svc svc
`;
}

const zsh = (found: Words) => `#compdef svc\nautoload -U +X bashcompinit && bashcompinit\n${bash(found)}`;

const seen = (names: string) => `__fish_seen_subcommand_from ${names}`;

function fish(list: readonly Command[]): string {
  const { nouns: verbsOf } = words(list);
  const lines = list.flatMap((command) => {
    const [first = '', second] = command.name.split(' ');
    const summary = command.summary.replaceAll("'", "\\'");
    const verbs = verbsOf.get(first)!.join(' ');
    const wanted = second ? `${seen(first)}; and not ${seen(verbs)}` : '__fish_use_subcommand';
    // Many nouns have the verb `ls`: the flags of each belong to the pair.
    const given = second ? `${seen(first)}; and ${seen(second)}` : seen(first);
    const flags = Object.entries(flagsOf(command)).map(
      ([name, flag]) => `complete -c svc -n '${given}' -l ${name} -d '${flag.summary.replaceAll("'", "\\'")}'`,
    );
    return [`complete -c svc -n '${wanted}' -a ${second ?? first} -d '${summary}'`, ...flags];
  });
  const nouns = [...verbsOf]
    .filter(([, verbs]) => verbs.length > 0)
    .map(([noun]) => `complete -c svc -n __fish_use_subcommand -a ${noun}`);
  return `# svc completion for fish\n${[...nouns, ...lines].join('\n')}\n`;
}

export const run: Run = async ({ args, output, commands }) => {
  const found = words(commands);
  const scripts: Record<string, () => string> = {
    bash: () => bash(found),
    zsh: () => zsh(found),
    fish: () => fish(commands),
  };
  const script = scripts[args[0]!];
  if (!script) throw usageError(`there is no completion for "${args[0]}"`, 'use bash, zsh or fish');
  output.write(script());
  return undefined;
};
