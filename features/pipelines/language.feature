Feature: Checking a pipeline

  @contract
  Rule: Every problem is reported with its line, its column and a similar name

    Scenario: all problems are reported together
      When I check the pipeline:
        """
        env: { SVC_X: "1", TITLE: "${{ input.title }}" }
        jobs:
          build:
            needs: [pack]
            timeout: 5 minutes
            if: vars.channel ==
            strategy: { matrix: { os: [a] } }
            steps:
              - run: echo ${{ input.title }} ${{ env.TITLE }} ${{ matrix.oss }}
              - if: ${{ steps.none.status == 'failed' }}
                run: |
                  echo one
                  echo ${{ run.run_id + }}
          pack:
            wait_for_event: packed
            when: ${{ events.payload }}
        """
      Then it has the problem "are reserved for the service" at "1:8"
      And it has the problem "5 minutes" at "5:14"
      And it has the problem "unexpected" at "6:22"
      And it has the problem "`input` comes from outside" at "9:22"
      And it has the problem "`env.TITLE` comes from outside" at "9:41"
      And it has the problem "did you mean `os`?" at "9:58"
      And it has the problem "`steps.none`" at "10:16"
      And it has the problem "unexpected" at "13:31"
      And it has the problem "unknown name `events`" at "16:15"
      And it has 9 problems

    Scenario: a misspelt member and an unknown need do not hide other problems
      When I check the pipeline:
        """
        jobs:
          build:
            timeuot: 5m
            steps: [{ run: make }]
          test:
            needs: [biuld]
            timeout: 0s
            steps: [{ run: "echo ${{ steps.none.status }}" }]
        """
      Then it has the problem "did you mean `timeout`?" at "3:5"
      And it has the problem "did you mean `build`?" at "6:13"
      And it has the problem "more than 0" at "7:14"
      And it has the problem "`steps.none`" at "8:29"
      And it has 4 problems

    Scenario Outline: a pipeline is rejected with line and column: <what>
      When I check a pipeline of the text "<text>"
      Then it has the problem "<part>" at "<place>"

      Examples:
        | what                    | text                                                                                       | part                          | place |
        | a misspelt member       | jobs:\n  a:\n    stepps: []                                                                | did you mean `steps`?         | 3:5   |
        | a misspelt member above | job: {}\njobs: {a: {steps: [{run: x}]}}                                                    | did you mean `jobs`?          | 1:1   |
        | a tab                   | jobs:\n\ta: 1                                                                              | use spaces                    | 2:1   |
        | a key twice             | jobs: {a: {steps: [{run: x}]}}\njobs: {}                                                   | twice                         | 2:1   |
        | two documents           | jobs: {a: {steps: [{run: x}]}}\n---\nx: 1                                                  | one YAML document             | 2:1   |
        | nothing                 | # only a comment                                                                           | a map with `jobs`             | 1:1   |
        | an unknown anchor       | jobs: *none                                                                                | none                          | 1:1   |
        | an unknown tag          | jobs: {a: {steps: [{run: !!js/function x}]}}                                               | tag                           | 1:26  |
        | a job that is unknown   | jobs:\n  build: {steps: [{run: x}]}\n  b: {needs: [biuld], steps: [{run: x}]}              | did you mean `build`?         | 3:15  |
        | a circle                | jobs:\n  a: {needs: b, steps: [{run: x}]}\n  b: {needs: a, steps: [{run: x}]}              | in a cycle                    | 2:7   |
        | a job that does nothing | jobs: {a: {needs: []}}                                                                     | does nothing                  | 1:8   |
        | an empty axis           | jobs: {a: {strategy: {matrix: {x: []}}, steps: [{run: x}]}}                                | no value                      | 1:35  |
        | a duration of nothing   | jobs: {a: {timeout: 0s, steps: [{run: x}]}}                                                | more than 0                   | 1:21  |
        | a hole without an end   | jobs: {a: {steps: [{run: 'echo ${{ run.run_id'}]}}                                         | has no `}}`                   | 1:35  |
        | the event in a program  | jobs: {a: {steps: [{run: 'echo ${{ event.type }}'}]}}                                      | `event` comes from outside    | 1:35  |
        | a job that is no need   | jobs: {a: {steps: [{run: x}]}, b: {if: jobs.a.status == '', steps: [{run: x}]}}            | is not in the `needs`         | 1:40  |

    Scenario: a matrix of ten thousand combinations is rejected before it is expanded
      When I check the pipeline:
        """
        x-ten: &ten [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        jobs:
          a:
            strategy: { matrix: { a: *ten, b: *ten, c: *ten, d: *ten } }
            steps: [{ run: "true" }]
        """
      Then it has the problem "10000 combinations" at "4:17"

    Scenario: anchors that expand to a billion values are rejected
      When I check a pipeline of 9 nested anchors
      Then it has the problem "anchors" at "1:1"

  Rule: Credentials are named literally

    @ERR-009
    Scenario Outline: an expression in the credentials of <where> is rejected
      When I check the pipeline:
        """
        <text>
        """
      Then it has the problem "not allowed here" at "<place>"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "ci.yml", "source": "<text>"}
        """
      Then the answer is 422 with code "workflow_invalid"

      Examples:
        | where        | place | text                                                                                       |
        | the workflow | 1:23  | {credentials: {TOKEN: '${{ input.name }}'}, jobs: {a: {steps: [{run: x}]}}}               |
        | a job        | 1:34  | {jobs: {a: {credentials: {TOKEN: 'x${{ vars.x }}'}, steps: [{run: x}]}}}                   |

    @contract
    Scenario: a missing credential is rejected
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "ci.yml", "source": "{credentials: {TOKEN: nobody}, jobs: {a: {steps: [{run: x}]}}}"}
        """
      Then the answer is 422 with code "workflow_invalid"
      And "detail" of the answer matches "1:15 .*nobody"

  Rule: svc check prints the problems

    @WAIT-013
    Scenario: a predicate that does not compile is reported
      Given a file "ci.yml":
        """
        jobs:
          approval:
            wait_for_event: deploy.approved
            when: event.payload.sha = 'abc'
        """
      When I call "svc check {folder}/ci.yml"
      Then it exits with 1
      # @contract
      And standard output has "ci.yml:4:29: unexpected"
      # @contract
      And standard output has "4 |     when: event.payload.sha = 'abc'"
      # @contract
      And standard output has "  |                             ^"

    @contract
    Scenario: anchors and merged maps are read as YAML defines them
      When I submit the pipeline:
        """
        x-base: &base
          env: { A: from the anchor }
        jobs:
          one:
            <<: *base
            steps: &steps [{ run: 'echo "$A: $SVC_IDEMPOTENCY_KEY"' }]
          two: { steps: *steps, env: { A: own } }
        """
      Then the run succeeds
      And the log has "from the anchor: "
      And the log has "own: "
