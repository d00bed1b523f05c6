@contract
Feature: Warnings about scripts

  Rule: Differences that a replay would show are reported with their position and a fix

    Scenario: a script that runs but behaves unexpectedly gets warnings
      Given a file "a.sh":
        """
        day=$(date +%F)
        svc step "deploy-$day" -- make
        svc step build -- bash -c 'VERSION=7; svc emit built'
        if [ "$RANDOM" -gt 9 ]; then svc sleep 1s; fi
        echo "$VERSION"
        """
      When I call "svc check a.sh"
      Then it exits with 0
      And standard output has "a.sh:2:10: warning: the name of this call comes from $day, which comes from $(date"
      And standard output has "a.sh:3:28: warning: `VERSION` is set in the process of the step only"
      And standard output has "a.sh:3:39: warning: a step's command has no agent: `svc emit` fails in it"
      And standard output has "a.sh:4:6: warning: `svc sleep` depends on $RANDOM"
      And standard output has "  2 | svc step"
      And standard output has "a.sh: no errors, 4 warnings"
      When I call "svc check a.sh --strict --json"
      Then it exits with 1
      And standard output is JSON with "files.0.warnings.3.column"

    Scenario: a correct script gets no warnings
      Given a file "a.sh":
        """
        day=$(svc step day -- date +%F)
        svc step "deploy-$day" -- bash -c 'echo $RANDOM'
        """
      When I call "svc check a.sh --strict"
      Then it exits with 0
      And standard output is "a.sh: ok"

    Scenario Outline: a script in <language> gets warnings
      Given a file "<file>":
        """
        <text>
        """
      When I call "svc check <file>"
      Then it exits with 0
      And standard output has "<file>:2:6: warning: the name of this call comes from <value>, which differs when the script is replayed"
      And standard output has "<file>:<branch>: warning: `sleep` depends on <value>"
      And standard output has "warning: nothing can be recorded inside a step: `sleep` fails in it"
      And standard output has "warning: `seen` is set only inside the step, and a replay does not run the step again"
      When I call "svc check <file> --strict"
      Then it exits with 1

      Examples:
        | language   | file | value             | branch | text |
        | TypeScript | a.ts | `Math.random()`   | 3:5    | import { sleep, step } from 'svc/sdk'; let seen: number = 0;\nstep(String(Math.random()), () => 1);\nif (Math.random() > 0.5) await sleep(1);\nawait step('a', () => { seen = 1; });\nconsole.log(seen);\nawait step('b', () => sleep(1)); |

      @needs-python3
      Examples:
        | language   | file | value             | branch | text |
        | Python     | a.py | `random.random()` | 3:4    | import random; from svc_sdk import sleep, step; seen = 0\nstep(str(random.random()), lambda: 1)\nif random.random() > 0.5:\n    sleep(1)\ndef work():\n    global seen\n    seen = 1\nstep("a", work)\nprint(seen)\nstep("b", lambda: sleep(1)) |

  Rule: Syntax is checked for the program that runs the script

    Scenario Outline: a syntax error is reported: <what>
      Given a file "<file>":
        """
        <text>
        """
      When I call "svc check <file>"
      Then it exits with 1
      And standard output has "<file>:<place>: "
      And standard output has "<code>"

      Examples:
        | what                    | file  | place | code                | text                              |
        | bash                    | a.sh  | 2:1   | (bash_syntax)       | true\necho )                       |
        | JavaScript              | a.mjs | 2:9   | (javascript_syntax) | let a = 1;\nlet b = ;             |
        | TypeScript              | a.ts  | 2:17  | (javascript_syntax) | let a: string;\nlet b: number = ; |

      @needs-python3
      Examples:
        | what                    | file  | place | code                | text                              |
        | Python                  | a.py  | 2:5   | (python_syntax)     | x = 1\nif x\n    pass             |

    Scenario: a script in a language that svc cannot read gets a note
      Given a file "a.go":
        """
        package main
        """
      When I call "svc check a.go --strict"
      Then it exits with 0
      And standard output has "a.go: note: its syntax and its calls were not checked: svc does not support the language of go"
      And standard output has "a.go: ok"
