@contract
Feature: Broken pipelines are rejected as a whole

  Rule: svc check shows the line, the column and a fix, and a submission is rejected for the same problems

    Scenario Outline: the check reports <what>
      Given a file "ci.yml":
        """
        <text>
        """
      When I call "svc check ci.yml"
      Then it exits with 1
      And standard output has "ci.yml:<place>: "
      And standard output has "<fix>"
      When I call "svc submit ci.yml"
      Then it exits with 1
      And standard error has "<place> "
      And standard error has "<fix>"
      When I send "GET" to "{scoped}/runs"
      Then "runs" of the answer is "[]"

      Examples:
        | what                       | place | fix                        | text                                                                                |
        | a misspelt key             | 3:5   | did you mean `timeout`?    | jobs:\n  a:\n    timeotu: 5m\n    steps: [{run: x}]                                 |
        | a trigger of GitHub        | 1:1   | svc webhook set            | on: push\njobs: {a: {steps: [{run: x}]}}                                               |
        | a runner of GitHub         | 3:5   | write `requires`           | jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: x}]                       |
        | an action                  | 1:21  | actions do not run here    | jobs: {a: {steps: [{uses: actions/checkout@v4}]}}                                   |
        | a script of GitLab         | 2:11  | write `steps`              | jobs:\n  build: {script: [make]}                                                    |
        | a key twice                | 2:1   | remove one of them         | jobs: {a: {steps: [{run: x}]}}\njobs: {}                                            |
        | an unknown need            | 3:14  | did you mean `build`?      | jobs:\n  build: {steps: [{run: x}]}\n  b: {needs: biuld, steps: [{run: x}]}         |
        | a circle of needs          | 2:7   | in a cycle                 | jobs:\n  a: {needs: b, steps: [{run: x}]}\n  b: {needs: a, steps: [{run: x}]}       |
        | a hole that cannot compile | 1:34  | unexpected                 | jobs: {a: {steps: [{run: '${{ run. }}'}]}}                                          |
        | input within a program     | 1:30  | pass it through `env`      | jobs: {a: {steps: [{run: '${{ input.x }}'}]}}                                       |
        | a hole in credentials      | 1:23  | not allowed here           | {credentials: {TOKEN: '${{ vars.x }}'}, jobs: {a: {steps: [{run: x}]}}}             |
        | a variable of the service  | 1:8   | are reserved for the service | env: { SVC_X: '1' }\njobs: {a: {steps: [{run: x}]}}                                 |

    Scenario: a capability that no agent has is reported
      When I submit the pipeline:
        """
        jobs: { a: { requires: [moonbeams], steps: [{ run: "true" }] } }
        """
      And I call "svc explain {run}"
      Then it exits with 0
      And standard output has "lacks moonbeams"
      When I cancel the run because "nobody has it"
      Then the run is "cancelled"

  Rule: Malicious documents are rejected with their position, and the other files are still checked

    Scenario: excessive sizes, anchors, control characters and devices are rejected
      Given a file "fine.yml":
        """
        jobs: { a: { steps: [{ run: "true" }] } }
        """
      And a file "bomb.yml":
        """
        a: &a [x, x, x, x, x, x, x, x, x, x]
        b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
        c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
        d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
        jobs: { a: { workflow: none.sh } }
        """
      And a file "matrix.yml":
        """
        x-ten: &ten [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        jobs:
          a:
            strategy: { matrix: { a: *ten, b: *ten, c: *ten, d: *ten } }
            steps: [{ run: "true" }]
        """
      And a file "tab.yml":
        """
        jobs:
        	a: 1
        """
      And a file "bell.yml" of the bytes "6a6f62733a207b613a207b73746570733a205b7b72756e3a2078077d5d7d7d"
      When I call "svc check /dev/zero bomb.yml matrix.yml tab.yml bell.yml fine.yml"
      Then it exits with 1
      And standard output has "/dev/zero:1:1: /dev/zero has more than 4194304 bytes; the limit for a document is 1048576 (payload_too_large)"
      And standard output has "bomb.yml:1:1: its anchors expand to more than 1000 copies"
      And standard output has "matrix.yml:4:17: the matrix has 10000 combinations; the limit is 1000"
      And standard output has "tab.yml:2:1: a tab cannot indent YAML"
      And standard output has "bell.yml:1:27: YAML cannot contain the control character U+0007"
      And standard output has "fine.yml: ok"
      When I call "svc run bomb.yml"
      Then it exits with 1
      And standard error has "1:1 its anchors expand to more than 1000 copies"
      When I call "svc run /dev/zero --as pipeline"
      Then it exits with 1
      And standard error has "the limit for a document is 1048576"

    Scenario: problems are sorted by line, no matter which rule finds them
      Given a file "ci.yml":
        """
        credentials: { TOKEN: nobodys }
        jobs:
          a: { workflow: { graph: none } }
          b: { credentials: { KEY: nobodys }, steps: [{ run: "true" }] }
        """
      When I call "svc check ci.yml"
      Then it exits with 1
      And standard output matches "^ci.yml:1:14: (.*\n)+ci.yml:3:18: (.*\n)+ci.yml:4:21: "

    Scenario Outline: hostile <what> is checked safely
      Given a file "<file>" of the text "<text>" 100000 times
      When I call "svc check <file>"
      Then it exits with <exit>
      And standard output has "<said>"

      Examples:
        | what       | file   | text | exit | said                                               |
        | JSON       | a.json | [    | 1    | a.json:1:                                          |
        | signs      | b.py   | -    | 0    | note: its syntax and its calls were not checked |
        | TypeScript | a.ts   | [    | 0    | note: its syntax and its calls were not checked |

      @needs-python3
      Examples:
        | what       | file   | text | exit | said                                               |
        | Python     | a.py   | (    | 1    | (python_syntax)                                    |
