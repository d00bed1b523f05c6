@contract
Feature: Replaying an edited script with a recorded history

  Rule: A script that makes the recorded calls passes, and nothing is executed

    Scenario Outline: the same script in <language> passes
      Given a file "<file>":
        """
        <script>
        """
      When I submit the script "<file>":
        """
        <script>
        """
      Then the run succeeds
      When I call "svc check <file> --replay {run}"
      Then it exits with 0
      And standard output is "<file>: reads all 2 calls of {run}"

      Examples:
        | language   | file | script                                                                                                                                                              |
        | bash       | a.sh | svc step one -- echo 1\nsvc step two -- echo 2                                                                                                                        |
        | JavaScript | a.js | import { step } from 'svc/sdk';\nawait step('one', () => 1);\nawait step('two', () => 2);                                                                              |
        | TypeScript | a.ts | import { execFileSync } from 'node:child_process';\nfor (const n of ['one', 'two'] as string[]) execFileSync('svc', ['step', n, '--', 'true']);                       |

      @needs-python3
      Examples:
        | language   | file | script                                                                                                                                                              |
        | Python     | a.py | import subprocess\nfor n in ('one', 'two'):\n    subprocess.run(['svc', 'step', n, '--', 'echo', n], check=True)                                                     |

    Scenario: calls after the end of the history are reported and not executed
      When I submit the script "a.sh":
        """
        svc step one -- echo 1
        """
      Then the run succeeds
      Given a file "a.sh":
        """
        one=$(svc step one -- echo 2)
        svc step "see-$one" -- touch {folder}/made
        svc emit never
        """
      When I call "svc check a.sh --replay {run} --json"
      Then it exits with 0
      And standard output is JSON with "files.0.replay.note"
      And standard output has "reads all 1 call of {run}; from here on it would make new calls: step see-1#0"
      And there is no file "made"

    Scenario: the history of a waiting run can be replayed
      When I submit the script "a.sh":
        """
        svc step one -- echo 1
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      Given a file "a.sh":
        """
        svc step one -- echo 1
        svc wait-signal go
        svc step two -- echo 2
        """
      And a file "b.sh":
        """
        svc step one -- echo 1
        svc sleep 1s
        """
      When I call "svc check a.sh --replay {run}"
      Then it exits with 0
      And standard output is "a.sh: reads all 1 call of {run} and waits in wait-signal go#0, like the run"
      When I call "svc check b.sh --replay {run}"
      Then it exits with 1
      And standard output has "b.sh:2:1: call 2 of {run} is wait-signal go#0, but the script calls sleep#0"
      When I send the signal "go" with "1"
      Then the run succeeds

  Rule: The first call that differs is reported with its line and a fix

    Scenario Outline: the replay reports <what> in <file>
      When I submit the script "<file>":
        """
        <first>
        """
      Then the run succeeds
      Given a file "<file>":
        """
        <edited>
        """
      When I call "svc check <file> --replay {run}"
      Then it exits with 1
      And standard output has "<file>:<said>"
      And standard output has "put the recorded call back where it was"
      And standard output has "(replay_differs)"

      Examples:
        | what            | file | first                                                                                  | edited                                                                                       | said                                                                            |
        | a new name      | a.sh | svc step one -- echo 1\nsvc step two -- echo 2                                          | svc step one -- echo 1\nsvc step deux -- echo 2                                               | 2:1: call 2 of {run} is step two#0, but the script calls step deux#0              |
        | a call less     | a.sh | svc step one -- echo 1\nsvc step two -- echo 2                                          | svc step one -- echo 1                                                                       | 1:1: call 2 of {run} is step two#0, but the script ends                           |
        | another verb    | a.ts | import { step } from 'svc/sdk';\nconst n: string = 'one';\nawait step(n, () => 1);       | import { waitSignal } from 'svc/sdk';\nawait waitSignal('one');                               | 2:1: call 1 of {run} is step one#0, but the script calls wait-signal one#0        |

      @needs-python3
      Examples:
        | what            | file | first                                                                                  | edited                                                                                       | said                                                                            |
        | a call before   | a.py | import subprocess as s\ns.run(['svc', 'step', 'one', '--', 'true'])                     | import subprocess as s\ns.run(['svc', 'sleep', '1s'])\ns.run(['svc', 'step', 'one', '--', 'true']) | 2:1: call 1 of {run} is step one#0, but the script calls sleep#0                |

  Rule: The script's own lines run in an empty environment

    Scenario: the script gets the run's input but no variables or files of the machine
      When I submit the script "a.sh" with the options '{"env": {"COLOUR": "red"}, "input": [1, 2]}':
        """
        svc step "see-$COLOUR-$(grep -c input "$SVC_INPUT_FILE")" -- true
        """
      Then the run succeeds
      Given a file "a.sh":
        """
        test "$(ls -A "$HOME")" = "" && test "$PWD" -ef "$HOME" && test -z "${OTHER:-}"
        svc step "see-$COLOUR-$(grep -c input "$SVC_INPUT_FILE")" -- true
        svc runs ls
        """
      When I call "svc check a.sh --replay {run}" with "OTHER" set to "mine"
      Then it exits with 0
      And standard output has "fails at its end"
      When I call "svc check a.sh --replay {run} --env COLOUR=blue"
      Then it exits with 1
      And standard output has "the script calls step see-blue-1#0"

    @needs-python3
    Scenario Outline: <file> gets the variables of the run, and not those that are set now
      Given the variable "REGION" is "first"
      And the variable "TOKEN" is "of-the-variable"
      And the secret "TOKEN" is "of-the-secret"
      When I submit the script "<file>":
        """
        <source>
        """
      Then the run succeeds
      And the recorded steps are:
        | site                                | exit |
        | see-first-first-of-the-variable#0 | 0    |
      Given the variable "REGION" is "second"
      And a file "<file>":
        """
        <source>
        """
      When I call "svc check <file> --replay {run}"
      Then it exits with 0
      When I call "svc check <file> --replay {run} --env REGION=third"
      Then it exits with 1
      And standard output has "the script calls step see-first-third-of-the-variable#0"

      Examples:
        | file | source                                                                                                                                            |
        | a.ts | import { step, vars } from 'svc/sdk';\nawait step(`see-${vars().REGION}-${process.env.REGION}-${vars().TOKEN}`, () => 1);                          |
        | a.py | import os, svc_sdk as svc\nseen = [svc.vars()["REGION"], os.environ["REGION"], svc.vars()["TOKEN"]]\nsvc.step("see-" + "-".join(seen), lambda: 1) |

    Scenario: a script that fails halfway or never ends is reported
      When I submit the script "a.sh":
        """
        svc step one -- echo 1
        """
      Then the run succeeds
      Given a file "a.sh":
        """
        echo "no such luck" >&2
        exit 3
        """
      And a file "b.sh":
        """
        while true; do sleep 1; done
        """
      When I call "svc check a.sh --replay {run}"
      Then it exits with 1
      And standard output has "before it has read all 1 call, before any call: the script ended with exit code 3"
      And standard output has "no such luck"
      When I call "svc check b.sh --replay {run} --timeout 1"
      Then it exits with 1
      And standard output has "the script did not end in time"

  Rule: Runs without a replayable history are rejected

    Scenario: a pipeline, an unknown run and a file that is not a script are rejected
      When I submit the pipeline:
        """
        jobs: { a: { steps: [{ run: "true" }] } }
        """
      Then the run succeeds
      Given a file "a.sh":
        """
        echo
        """
      When I call "svc check a.sh --replay {run}"
      Then it exits with 1
      And standard error has "is a pipeline: only scripts have a history"
      When I send "GET" to "{scoped}/runs/{run}/history"
      Then the answer is 422 with code "run_not_replayable"
      When I call "svc check a.sh --replay run_01JD0000000000000000000000"
      Then it exits with 1
      And standard error has "no run run_01JD0000000000000000000000"
      When I call "svc check ci.yml --replay {run}"
      Then it exits with 2
      And standard error has "--replay works only with scripts, not ci.yml"
