@contract
Feature: Checking without a server

  Rule: Problems in the document itself are found without a server

    @needs-python3
    Scenario: scripts and pipelines are checked, except for what only a project knows
      Given a file "a.py":
        """
        if x
        """
      And a file "ci.yml":
        """
        credentials: { TOKEN: bot }
        jobs:
          call: { workflow: { graph: nightly } }
          a: { steps: [{ run: "true" }] }
        """
      When I call "svc check ci.yml" without the environment's target
      Then it exits with 0
      And standard error has "no server is configured, so files are checked locally, without a project"
      When I call "svc check ci.yml --profile none" without the environment's target
      Then it exits with 4
      When I call "svc check --local a.py ci.yml" without the environment's target
      Then it exits with 1
      And standard output has "a.py:1:5: "
      And standard output has "(python_syntax)"
      And standard output has "ci.yml: note: only a server can check 1:14: "
      And standard output has "ci.yml: note: only a server can check 3:21: "
      And standard output has "ci.yml: ok"
      When I call "svc check --local --replay run_1 a.py" without the environment's target
      Then it exits with 2

    Scenario Outline: the check reports <what>
      Given a file "<file>":
        """
        <text>
        """
      When I call "svc check --local <file>" without the environment's target
      Then it exits with 0
      And standard output has "<file>:<says>"
      When I call "svc check --strict --local <file>" without the environment's target
      Then it exits with 1

      Examples:
        | what                        | file | says | text |
        | an unknown verb             | a.sh | 2:5: warning: unknown verb `svc stpe`; did you mean `svc step`? | svc sleep 1s\nsvc stpe build -- make |
        | a name of the SDK           | a.ts | 1:1: warning: the SDK has no `waitSignl`; did you mean `waitSignal`? | import { waitSignl } from 'svc/sdk';\nawait waitSignl('a'); |
        | a file by its whole path    | a.mjs | 1:8: warning: `/no/such/file.mjs` does not exist on this machine | import '/no/such/file.mjs'; |
        | a module of Node            | a.js | 1:25: warning: `node:nothing` does not exist on this machine | const nothing = require('node:nothing'); console.log(nothing); |

      @needs-python3
      Examples:
        | what                        | file | says | text |
        | a verb of a program's words | a.py | 2:1: warning: unknown verb `svc slepe`; did you mean `svc sleep`? | import subprocess\nsubprocess.run(["svc", "slepe", "1s"]) |
        | a module of Python          | b.py | 2:1: warning: `no_such_module_here.part` does not exist on this machine | import json\nimport no_such_module_here.part |
