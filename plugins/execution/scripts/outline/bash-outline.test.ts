import t, { type Test } from 'tap';
import { outlineBash } from './bash-outline.ts';
import { shortItem, VERBS } from './testing/outlines.ts';

type Case = readonly [source: string, found: readonly string[]];

function all(t: Test, cases: readonly Case[]): void {
  for (const [source, found] of cases) t.same(outlineBash(source, VERBS).map(shortItem), found, source);
}

t.test('calls of verbs', async (t) =>
  all(t, [
    ['svc emit a', ['1 emit a']],
    [`true\n"svc" emit a; s'v'c emit "b"; \\svc emit c`, ['2 emit a', '2 emit b', '2 emit c']],
    ['svc emit --payload "{}" a', ['1 emit a']],
    ['svc \\\n  emit a', ['1 emit a']],
    ['svc emit "a-$x"', ['1 ?']],
    ['svc emit $more a', ['1 ?']],
    ['svc emit --payload="$x" a', ['1 ?']],
    ['svc "$verb" a', ['1 ?']],
    ['svc $words', ['1 ?']],
    ['svc wait-event a', ['1 wait a']],
    ["svc wait-event a --when 'event.trusted' --untrusted", ['1 wait a when event.trusted untrusted']],
    ['svc wait-event a --when "$x"', ['1 wait a']],
    ['svc wait-event a $more', ['1 wait a untrusted']],
    ['svc wait-any event:a signal:s event:b', ['1 wait a', '1 wait b']],
    ['svc wait-any "$what"', ['1 ?']],
    ['svc lock g -- true', ['1 lease g']],
    ['svc lock "g-$x" -- true', ['1 lease g-…']],
    ['svc lock "$x" -- true', ['1 ?']],
    ['svc id-token --audience x', ['1 id_token']],
    ['svc activity build --requires gpu --requires=mac -- make', ['1 agent gpu', '1 agent mac']],
    ['svc activity-submit build --requires "$label" -- make', ['1 ?']],
    ['svc activity build $more -- make', ['1 ?']],
    ['svc call graph x', ['1 call {"graph":"x"}']],
    ['svc call function y', ['1 call {"function":"y"}']],
    ['svc call graph "$x"', ['1 ?']],
    ['svc call graph --definition -', ['1 ?']],
    [`svc call node http --config '{"url":"x"}'`, ['1 call {"node":"http","config":{"url":"x"}}']],
    ['svc call node http', ['1 call {"node":"http","config":{}}']],
    ['svc call node http --config @file', ['1 ?']],
    ['svc call node http $more', ['1 ?']],
    ['svc spawn child.sh; svc spawn -; svc run x.sh; svc submit x.sh', ['1 ?', '1 ?', '1 ?', '1 ?']],
    ['svc secret get A; svc credential ls; svc --url x emit a', ['1 ?', '1 ?', '1 ?']],
    ['svc step build -- make; svc sleep 1s; svc output set a=b; svc; svc --version; command -v svc', []],
    ['svc step x -- svc emit a', ['1 ?']],
    ["svc lock g -- bash -c 'svc emit a'", ['1 lease g', '1 ?']],
  ]),
);

t.test('wherever bash runs a command', async (t) =>
  all(t, [
    ['f() { svc emit a; }\nf', ['1 emit a']],
    ['function f { svc emit a; }', ['1 emit a']],
    ['f() (\n svc emit a\n)', ['2 emit a']],
    ['(cd x && svc emit a)', ['1 emit a']],
    ['((svc emit a); svc emit b)', ['1 emit b', '1 ?']],
    ["echo '{}' | svc emit a --payload -", ['1 emit a']],
    ['svc emit a & svc emit b || svc emit c', ['1 emit a', '1 emit b', '1 emit c']],
    ['if svc emit a; then svc emit b; else svc emit c; fi', ['1 emit a', '1 emit b', '1 emit c']],
    ['! svc emit a; while svc emit b; do svc emit c; done', ['1 emit a', '1 emit b', '1 emit c']],
    ['for x in a b; do svc emit $x; done', ['1 ?']],
    ['for x in $(svc wait-event a); do svc emit b; done', ['1 wait a', '1 emit b']],
    [
      'case $x in\n  a|b) svc emit a ;;\n  "c d") svc emit c ;;\n  *) svc emit d ;;\nesac',
      ['2 emit a', '3 emit c', '4 emit d'],
    ],
    ['coproc svc emit a; coproc N { svc emit b; }', ['1 emit a', '1 emit b']],
    ['A=1 svc emit a; >log svc emit b; 2>/dev/null svc emit c', ['1 emit a', '1 emit b', '1 emit c']],
    ['x=$(svc emit a); y=`svc emit b`; z=($(svc emit c))', ['1 emit a', '1 emit b', '1 emit c']],
    ['export X=$(svc id-token --audience x)', ['1 id_token']],
    ['echo "got ${x:-$(svc emit a)}"', ['1 emit a']],
    ['echo "$(echo "a)b" "$(svc emit a)")"; svc emit b', ['1 emit a', '1 emit b']],
    ["x=$(\n  # don't\n  svc emit a\n)\nsvc emit b", ['3 emit a', '5 emit b']],
    ['x="$(case $y in a) svc emit b;; esac)"', ['1 ?']],
    ['diff <(svc emit a) >(svc emit b)', ['1 emit a', '1 emit b']],
    ["echo $'it\\'s'; svc emit a", ['1 emit a']],
    ['[[ -n $x ]] && svc emit a; if [ -f x ]; then svc emit b; fi', ['1 emit a', '1 emit b']],
    ['x=$((1 << 2))\n(( x = 1 << n ))\nsvc emit a', ['3 emit a']],
    ['trap \'rm x; svc emit a\' EXIT; trap - EXIT; trap "$x" EXIT', ['1 emit a', '1 ?']],
  ]),
);

t.test('here documents', async (t) =>
  all(t, [
    ['cat <<E\nx\nE\nsvc emit a', ['4 emit a']],
    ['cat <<"E F"; svc emit a\nx\nE F\nsvc emit b', ['1 emit a', '4 emit b']],
    ['cat <<-E\n\t$("svc" emit a)\n\tE\nsvc emit b', ['2 emit a', '4 emit b']],
    ["cat <<'E'\n$(svc emit a)\nE", ['2 ?']],
    ['bash <<E\n"svc" emit a\nE', ['1 ?', '2 ?']],
    ['python3 <<E\nfrom svc_sdk import emit as e\ne("a")\nE', ['1 ?']],
    ['svc spawn - <<E\nsvc emit a\nE', ['1 ?', '2 ?']],
  ]),
);

t.test('programs that run other programs', async (t) =>
  all(t, [
    [
      "bash -c 'svc emit a'; sh -ec 'true\nsvc emit b'; bash -euo pipefail -c 'svc emit c'",
      ['1 emit a', '2 emit b', '2 emit c'],
    ],
    ['bash -c "svc emit $1"; bash x.sh; bash -s', ['1 ?', '1 ?', '1 ?']],
    ['eval \'svc emit a\'; eval "svc emit b"; eval "$x"; eval svc emit c', ['1 emit a', '1 emit b', '1 ?', '1 ?']],
    ["echo 'svc emit a' | bash; curl https://example.org/x | sh; printf x | python3", ['1 ?', '1 ?', '1 ?']],
    ['env A=1 svc emit a; env -u B svc emit b; env -i P="$P" svc emit c', ['1 emit a', '1 emit b', '1 emit c']],
    ["env -S 'svc emit a'", ['1 ?']],
    ['sudo -u root svc emit a; nice -n 5 "svc" emit b; time -p svc emit c', ['1 emit a', '1 emit b', '1 emit c']],
    ['timeout -k 1 5 svc emit a; stdbuf -oL svc emit b; exec svc emit c', ['1 emit a', '1 emit b', '1 emit c']],
    ['timeout 5 ./x.sh; env -u B bash x.sh; sudo -u root /opt/y; flock /tmp/l ./z', ['1 ?', '1 ?', '1 ?', '1 ?']],
    ['timeout 5 "$program"; sudo $words', ['1 ?', '1 ?']],
    ['find . -exec svc emit {} \\; -exec ./x {} \\;', ['1 ?', '1 ?']],
    ['echo a | xargs -n1 svc emit; parallel svc emit ::: a', ['1 ?', '1 ?']],
    ["ssh host svc emit a; su -c 'svc emit b'; awk 'BEGIN { system(\"svc emit c\") }'", ['1 ?', '1 ?', '1 ?']],
    ['alias e=svc\ne emit a', ['1 ?']],
    ['s=svc; $s emit a; ${s} emit b; "$s" emit c', ['1 ?', '1 ?', '1 ?']],
    ['f() { "$@"; }\nf svc emit a', ['1 ?', '2 ?']],
    ['f() { svc "$@"; }\nf emit a', ['1 ?']],
    ['go=(svc emit)\n"${go[@]}" a', ['2 ?', '1 ?']],
    ['svc() { command svc "$@"; }\nsvc emit a', ['1 ?', '1 ?', '2 emit a']],
    ['/usr/bin/svc emit a; ./svc emit b; ~/bin/x', ['1 ?', '1 ?', '1 ?']],
    ['. ./lib.sh; source lib.sh; python3 x.py; node -e "x"', ['1 ?', '1 ?', '1 ?', '1 ?']],
    ['function f { ./x.sh; }; ! ./y.sh', ['1 ?', '1 ?']],
  ]),
);

t.test('what only looks like a call', async (t) =>
  all(t, [
    ['# svc emit a\ntrue # "svc" emit b', []],
    ['echo "# x" | timeout 5 su -c "svc emit a" # svc emit b', ['1 ?']],
    ['echo "svc emit a"; printf "%s\\n" \'svc emit b\'', []],
    ['make; npm ci; node --version; git push', []],
    ['x=(a b); x=("$a"); (( x = y )); [ "$x" = y ]', []],
  ]),
);
