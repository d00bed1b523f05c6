Feature: The input of a script is a file

  Rule: The input file contains everything that started the run

    @SCR-046 @SCR-048
    Scenario: a run submitted by a person has the manual trigger
      When I submit the script "input.js" with input '{"ref": "main", "list": [1, "ü", null]}':
        """
        const text = require('node:fs').readFileSync(process.env.SVC_INPUT_FILE, 'utf8');
        const { type, input } = JSON.parse(text);
        console.log(type, JSON.stringify(input));
        """
      Then the run succeeds
      And the log is:
        """
        manual {"ref":"main","list":[1,"ü",null]}
        """

    @SCR-046
    Scenario: every pass gets the same object
      When I submit the script "same.sh" with input '"x"':
        """
        cat "$SVC_INPUT_FILE" >> {folder}/seen
        echo >> {folder}/seen
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "seen" has 2 lines
      And the file "seen" has 1 different line

    @SCR-051
    Scenario: an input of the maximum size arrives unchanged
      When I submit the script "large.js" with an input of 2097152 bytes:
        """
        const { input } = JSON.parse(require('node:fs').readFileSync(process.env.SVC_INPUT_FILE, 'utf8'));
        console.log(input.length, input.slice(-3));
        """
      Then the run succeeds
      And the log is:
        """
        2097150 end
        """

  @contract
  Rule: `svc input` prints the submitted input or a part of it

    Scenario Outline: strings are printed unchanged and everything else as JSON, in every language
      When I submit the script "<file>" with input '{"name": "Ana B", "items": [{"id": 1}, {"a b": [true, null]}], "nil": null}':
        """
        <script>
        """
      Then the run succeeds
      And the log is:
        """
        Ana B
        1
        {"a b":[true,null]}
        null
        other
        other
        manual
        """

      Examples:
        | file    | script                                                                                                                                                                                                    |
        | job.sh  | for p in name 'items[0].id' 'items[-1]' nil; do svc input "$p"; done; svc input nil --default other; svc input "no.where" --default=other; svc input type --envelope                                       |
        | job.mjs | import { execFileSync as x } from 'node:child_process'; for (const p of [['name'], ['items[0].id'], ['items[-1]'], ['nil'], ['nil', '--default', 'other'], ['no.where', '--default=other'], ['type', '--envelope']]) x('svc', ['input', ...p], { stdio: 'inherit' }); |

      @needs-python3
      Examples:
        | file    | script                                                                                                                                                                                                    |
        | job.py  | import subprocess as s; [s.run(["svc", "input", *p], check=True) for p in [["name"], ["items[0].id"], ["items[-1]"], ["nil"], ["nil", "--default", "other"], ["no.where", "--default=other"], ["type", "--envelope"]]] |

    Scenario: numbers keep every digit
      Given a file "job.sh":
        """
        svc input; svc input id; svc input price; svc input 'list[0]'; svc input 'list[-1]'
        """
      And a file "given.json":
        """
        {"id": 820982911946154508, "price": 10.00, "list": [1e400, 2.50]}
        """
      When I call "svc submit job.sh --input @given.json --follow"
      Then it exits with 0
      And standard output is:
        """
        {"id":820982911946154508,"price":10.00,"list":[1e400,2.50]}
        820982911946154508
        10.00
        1e400
        2.50
        """

    Scenario: a script that requires an input fails without one
      When I submit the script "job.sh" with input '{"order": {"id": 1}}':
        """
        svc input order.total 2>&1 || echo "exit $?"
        svc input 'order..id' || echo "exit $?"
        svc step inside -- svc input || echo "exit $?"
        total=$(svc input order.total)
        echo not reached
        """
      Then the run fails with code "script_failed"
      And the log has "svc input: nothing is at order.total: order has id"
      And the log has "exit 1" 2 times
      And the log has "exit 2" 1 time
      And the log lacks "not reached"

    Scenario: reading the input is not recorded in the journal, and every pass reads the same input
      When I submit the script "job.sh" with input '{"n": 5}':
        """
        svc input n >> {folder}/seen
        svc sleep 20ms
        svc input n >> {folder}/seen
        """
      Then the run succeeds
      And the recorded steps are:
        | kind  | site    | exit |
        | sleep | sleep#0 | 0    |
      And the file "seen" is:
        """
        5
        5
        5
        """

    @needs-python3
    Scenario: the SDKs provide both the input and the entire envelope
      When I submit the script "job.ts" with input '{"name": "Ana", "items": [{"id": 820982911946154}]}':
        """
        import { data, output } from 'svc/sdk';
        interface Order { name: string }
        const fault = (() => { try { return data('a..b'); } catch (error) { return (error as { code: string }).code; } })();
        await output.set({ name: data<Order>().name, id: data<number>('items[0].id'), none: data('x.y') ?? 'none', fault });
        """
      Then the run succeeds
      And "output" of the run is '{"name":"Ana","id":820982911946154,"none":"none","fault":"usage"}'
      When I submit the script "job.py" with input '{"name": "Ana", "items": [{"id": 820982911946154}], "nil": null}':
        """
        import asyncio
        import svc_sdk as svc
        from svc_sdk import aio
        try:
            svc.data("a..b")
        except svc.SvcError as error:
            fault = error.code
        async def main():
            await aio.output.set(name=aio.data()["name"], id=aio.data("items[0].id"), none=svc.data("x.y", "none"), nil=svc.data("nil", 0), fault=fault)
        asyncio.run(main())
        """
      Then the run succeeds
      And "output" of the run is '{"name":"Ana","id":820982911946154,"none":"none","nil":0,"fault":"usage"}'

    Scenario: a pipeline step can read the input too
      When I submit the pipeline with '{"input": {"a": {"b": "c"}}}':
        """
        jobs: { one: { steps: [{ run: 'svc input a.b; svc input a' }] } }
        """
      Then the run succeeds
      And the log has '{"b":"c"}'

  @contract
  Rule: Arguments come after -- and belong to the run

    Scenario Outline: a program gets its arguments in the usual way
      Given a file "<file>":
        """
        <script>
        """
      When I call "svc submit <file> --follow -- one 'two words' --force ''"
      Then it exits with 0
      And standard output is '["one","two words","--force",""]'

      Examples:
        | file    | script                                                                                  |
        | job.sh  | test $# = 4; printf '["%s","%s","%s","%s"]\n' "$@"                                      |
        | job.mjs | console.log(JSON.stringify(process.argv.slice(2)));                                      |

      @needs-python3
      Examples:
        | file    | script                                                                                  |
        | job.py  | import json, sys; print(json.dumps(sys.argv[1:], separators=(",", ":")))                |

    Scenario: arguments are kept for the next pass, a rerun and a replay of an edited script
      Given a file "job.sh":
        """
        echo "$*" >> {folder}/seen
        svc sleep 20ms
        svc step "ship-$1" -- true
        """
      When I submit "job.sh --input region=eu -- blue green" with the CLI as "first"
      Then the run succeeds
      When I rerun it as "second"
      Then the run succeeds
      And the file "seen" has 4 lines
      And the file "seen" has 1 different line
      And the file "seen" has "blue green"
      When I call "svc source {run} --input"
      Then standard output is JSON whose "input.region" is "eu"
      And standard output is JSON whose "args.1" is "green"
      When I call "svc check job.sh --replay {run}"
      Then it exits with 0

    Scenario: a repeat with other arguments is reported, and only scripts accept arguments
      Given a file "job.sh":
        """
        true
        """
      When I submit "job.sh --idempotency-key k -- a" with the CLI as "first"
      Then the run succeeds
      When I call "svc submit job.sh --idempotency-key k -- b"
      Then it exits with 0
      And standard error has "that run was submitted with a different request"
      Given a file "ci.yml":
        """
        jobs: { one: { steps: [{ run: 'true' }] } }
        """
      When I call "svc submit ci.yml -- a"
      Then it exits with 1
      And standard error has "arguments are only for scripts; give a pipeline an input"
      When I call "svc submit job.sh a"
      Then it exits with 2
      And standard error has "write them after --"

    Scenario: arguments that are too large are rejected with their size
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "a.sh", "source": "true", "args": ["a\u0000b"]}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/args/0"
